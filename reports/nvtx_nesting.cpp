#include "reports/nvtx_nesting.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace gputrace::reports {

using trace::NvtxKind;

std::vector<Nested> nvtx_nesting(const trace::Trace& trace) {
  const trace::NvtxRanges& ranges = trace.nvtx;
  std::vector<Nested> nesting(ranges.size());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges.kind[i] == NvtxKind::push_pop && ranges.end_ns[i] != trace::kNoEnd) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(ranges.start_ns[a], -ranges.end_ns[a]) < std::tuple(ranges.start_ns[b], -ranges.end_ns[b]);
  });
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> stacks;  // by thread and domain
  for (const std::size_t i : order) {
    const auto thread = static_cast<std::uint32_t>(ranges.thread[i].value);
    auto& stack = stacks[std::uint64_t{thread} << 32 | ranges.domain[i].value];
    while (!stack.empty() && ranges.end_ns[stack.back()] < ranges.end_ns[i]) stack.pop_back();
    if (!stack.empty()) {
      Nested& parent = nesting[stack.back()];
      nesting[i].parent = static_cast<std::int64_t>(stack.back());
      nesting[i].level = parent.level + 1;
      ++parent.children;
      parent.children_ns += ranges.end_ns[i] - ranges.start_ns[i];
    }
    stack.push_back(i);
  }
  return nesting;
}

std::string range_stack(const std::vector<Nested>& nesting, std::size_t range) {
  std::string stack;
  for (auto at = static_cast<std::int64_t>(range); at >= 0; at = nesting[static_cast<std::size_t>(at)].parent) {
    stack.insert(0, ":" + std::to_string(at + 1));
  }
  return stack;
}

bool is_ended_range(const trace::NvtxRanges& ranges, std::size_t i) {
  const bool range = ranges.kind[i] == NvtxKind::push_pop || ranges.kind[i] == NvtxKind::start_end;
  return range && ranges.end_ns[i] != trace::kNoEnd;
}

const char* range_style(NvtxKind kind) { return kind == NvtxKind::push_pop ? "PushPop" : "StartEnd"; }

std::string range_name(const trace::Trace& trace, std::size_t range) {
  return std::string(trace.text(trace.nvtx.domain[range])) + ":" + std::string(trace.text(trace.nvtx.text[range]));
}

}  // namespace gputrace::reports
