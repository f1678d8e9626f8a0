// Ops of a framework, read from NVTX ranges whose text says what they are:
//   MatMul, name = tower_0/block_1/MatMul, requested = /gpu:0, device = /cpu:0, inputs = [input, block_1/weights],
//   sizes = [[32000, 1000], [1000, 1000]]
// The first word is the op's type; the keys are optional, in any order, in the style of PyTorch's emit_nvtx.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace gputrace::analyzer {

struct OpText {
  std::string type, name;
  std::string requested, device;  // "/gpu:0"; "" where the text does not say
  std::vector<std::string> inputs;               // names of the ops or variables that they come from
  std::vector<std::vector<std::int64_t>> sizes;  // of the inputs
};

// nullopt where the text is not of this form. Bounded: at most 64 inputs of at most 16 dimensions.
std::optional<OpText> parse_op_text(std::string_view text);

// "/job:worker/task:0/device:GPU:1", "/gpu:1", "cuda:1" -> 1; -1 where it names no GPU.
int gpu_of(std::string_view device);
bool is_cpu(std::string_view device);

// Floating-point operations and bytes of memory traffic of an op, from its type and sizes; 4-byte elements.
// Matrix products: 2 m k n. Convolutions: 2 x output positions x filter, at stride 1. All others: each input read once, and
// the largest written once (reductions, types that begin with Sum, Mean, Max, Min or end with Grad of these, write nothing large).
struct OpWork {
  double flops = 0, bytes = 0;
};
OpWork op_work(const OpText& op);

// Of one input; 0 where the text gives no size for it.
double input_bytes(const OpText& op, std::size_t input);

// The NVTX ranges that are ops, with distinct texts parsed once.
struct OpRanges {
  std::vector<OpText> texts;          // distinct
  std::vector<std::uint32_t> text;    // per range: into texts
  std::vector<trace::Span> span;
  std::vector<trace::ThreadIndex> thread;
  std::size_t size() const { return text.size(); }
};
OpRanges find_op_ranges(const trace::Trace& trace, trace::Span window);

}  // namespace gputrace::analyzer
