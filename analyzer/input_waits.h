// Host ranges in which a training loop waits for its next batch, by what frameworks and programs call them.
#pragma once

#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace gputrace::analyzer {

// "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__" (PyTorch), "IteratorGetNext" (TensorFlow), "wait for batches",
// "next_batch", "data_wait", "load batch" ... Capitals do not matter.
bool is_input_wait(std::string_view text);

// Those that overlap the window, merged and in order: no two overlap.
std::vector<trace::Span> input_waits(const trace::Trace& trace, trace::Span window);

// How much of a span merged spans cover.
std::int64_t covered_ns(const std::vector<trace::Span>& merged, trace::Span span);

}  // namespace gputrace::analyzer
