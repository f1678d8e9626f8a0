#include "analyzer/unfused_normalization.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using Stream = std::tuple<trace::ProcessIndex, trace::DeviceId, trace::ContextId, trace::StreamId>;

bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

bool is_reduction(const Explanation& kernel) { return kernel.op_class == op_class::kReduction; }
bool is_root(const Explanation& kernel) { return has(kernel.operation, "rsqrt") || has(kernel.label, "rsqrt"); }

// "a * bcast(b)", "squared_difference(a, bcast(b))", "bcast(x)": the statistics, put on each element.
bool is_pass(const Explanation& kernel) {
  const bool stretches = has(kernel.label, "bcast(") || kernel.operation == "broadcast";
  return stretches && (kernel.op_class == op_class::kElementWise || kernel.op_class == op_class::kLayoutChange || kernel.op_class == op_class::kNormalization);
}

// "a * b", "x / c": where the statistics were stretched by a kernel of their own, such a pass puts each of them on the elements.
bool is_scaling(const Explanation& kernel) {
  return kernel.op_class == op_class::kElementWise && (has(kernel.label, " * ") || has(kernel.label, " / ") || has(kernel.label, " - "));
}

struct Run {
  UnfusedNormalization found;
  bool root = false, reduction = false;
  std::int64_t longest_plain_ns = 0;  // of element-wise passes that stretch nothing
  std::size_t stretched = 0;          // kernels that only stretch
  std::vector<std::pair<std::int64_t, std::uint32_t>> scalings;  // time and row
  std::int64_t shortest_reduction_ns = INT64_MAX;
};

void close(Run& run, std::vector<UnfusedNormalization>& all) {
  if (run.root && run.reduction) {
    if (run.found.pass_ns == 0) run.found.pass_ns = run.shortest_reduction_ns;
    else if (run.longest_plain_ns > 0) run.found.pass_ns = std::min(run.found.pass_ns, run.longest_plain_ns);
    // Of the plain passes as many belong to it as tensors were stretched for, the longest: short ones are of the statistics themselves.
    std::sort(run.scalings.begin(), run.scalings.end(), std::greater<>());
    run.scalings.resize(std::min(run.scalings.size(), run.stretched));
    for (const auto& [ns, row] : run.scalings) run.found.kernels.push_back(row);
    std::sort(run.found.kernels.begin(), run.found.kernels.end());
    all.push_back(std::move(run.found));
  }
  run = {};
}

}  // namespace

std::vector<UnfusedNormalization> find_unfused_normalizations(const trace::Trace& trace, const Metrics& metrics) {
  const trace::Kernels& kernels = trace.kernels;
  std::map<Stream, Run> runs;
  std::vector<UnfusedNormalization> all;
  for (std::uint32_t i = 0; i < kernels.size(); ++i) {
    if (!metrics.holds(kernels.span(i))) continue;
    Run& run = runs[{kernels.process[i], kernels.device[i], kernels.context[i], kernels.stream[i]}];
    const Explanation& kernel = metrics.kernels.of(kernels.name[i]);
    if (is_arithmetic(kernel) || kernel.op_class == op_class::kOptimizer) {
      close(run, all);
      continue;
    }
    const std::int64_t ns = kernels.span(i).duration_ns();
    if (is_reduction(kernel)) run.shortest_reduction_ns = std::min(run.shortest_reduction_ns, ns);
    if (is_pass(kernel)) run.found.pass_ns = std::max(run.found.pass_ns, ns);
    else if (is_scaling(kernel) && !is_root(kernel)) run.scalings.emplace_back(ns, i);
    if (!is_pass(kernel) && kernel.op_class == op_class::kElementWise && !is_root(kernel)) run.longest_plain_ns = std::max(run.longest_plain_ns, ns);
    run.stretched += kernel.operation == "broadcast" ? 1 : 0;
    run.root |= is_root(kernel);
    run.reduction |= is_reduction(kernel);
    if (is_reduction(kernel) || is_root(kernel) || is_pass(kernel)) run.found.kernels.push_back(i);
  }
  for (auto& [stream, run] : runs) close(run, all);
  return all;
}

}  // namespace gputrace::analyzer
