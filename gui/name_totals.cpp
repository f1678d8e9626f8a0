#include "gui/name_totals.h"

#include <algorithm>

#include "gui/time_math.h"

namespace gputrace::gui {
namespace {

template <class EndOf>
void total_table(const trace::Trace& trace, trace::Table table, const std::vector<trace::StringId>& names,
                 const std::vector<std::int64_t>& start_ns, EndOf end_of, std::vector<NameTotal>& totals) {
  std::vector<std::uint32_t> total_of(trace.strings.size());  // by name: its place, counted from 1
  for (std::size_t i = 0; i < std::min(names.size(), EventRef::kMaxRows); ++i) {
    std::uint32_t& place = total_of[names[i].value];
    if (place == 0) {
      totals.push_back({.name = names[i], .first = EventRef{table, i}});
      place = static_cast<std::uint32_t>(totals.size());
    }
    NameTotal& total = totals[place - 1];
    ++total.count;
    total.total_ns += distance_ns(start_ns[i], end_of(i));
  }
}

}  // namespace

std::vector<NameTotal> total_names(const trace::Trace& trace) {
  std::vector<NameTotal> totals;
  const trace::Kernels& kernels = trace.kernels;
  const trace::ApiCalls& calls = trace.api_calls;
  const trace::NvtxRanges& nvtx = trace.nvtx;
  total_table(trace, trace::Table::kernels, kernels.name, kernels.start_ns,
              [&](std::size_t i) { return kernels.end_ns[i]; }, totals);
  total_table(trace, trace::Table::api_calls, calls.name, calls.start_ns,
              [&](std::size_t i) { return calls.end_ns[i]; }, totals);
  const std::int64_t last_ns = trace.span().end_ns;
  total_table(trace, trace::Table::nvtx, nvtx.text, nvtx.start_ns,
              [&](std::size_t i) {
                const std::int64_t end_ns = nvtx.end_ns[i];
                return end_ns == trace::kNoEnd ? std::max(last_ns, nvtx.start_ns[i]) : end_ns;
              },
              totals);
  return totals;
}

}  // namespace gputrace::gui
