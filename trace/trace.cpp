#include "trace/trace.h"

#include <algorithm>

#include "trace/trace_columns.h"

namespace gputrace::trace {
namespace {

struct StartAndRow {
  std::int64_t start_ns;
  std::size_t row;
  friend auto operator<=>(const StartAndRow&,
                          const StartAndRow&) = default;  // equal starts keep the row order
};

std::vector<StartAndRow> order_by_start(const std::vector<std::int64_t>& start_ns) {
  std::vector<StartAndRow> order(start_ns.size());
  std::vector<std::int64_t> lowest_from(start_ns);  // the least start of a row and all after it
  for (std::size_t row = order.size(); row-- > 1;) lowest_from[row - 1] = std::min(lowest_from[row - 1], lowest_from[row]);
  // Recorders write rows by blocks, so that most are near their place: pieces with nothing to exchange are sorted one by one.
  std::int64_t highest_ns = INT64_MIN;
  auto piece = order.begin();
  for (std::size_t row = 0; row < order.size(); ++row) {
    order[row] = {start_ns[row], row};
    highest_ns = std::max(highest_ns, start_ns[row]);
    const auto next = order.begin() + static_cast<std::ptrdiff_t>(row) + 1;
    if (next != order.end() && highest_ns > lowest_from[row + 1]) continue;
    std::sort(piece, next);
    piece = next;
  }
  return order;
}

template <class Table>
void sort_table_by_start(Table& table) {
  if (std::is_sorted(table.start_ns.begin(), table.start_ns.end())) return;
  const std::vector<StartAndRow> order = order_by_start(table.start_ns);
  visit_columns(table, [&order](auto& column) {
    std::remove_reference_t<decltype(column)> sorted(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i].row];
    column.swap(sorted);
  });
}

// kNoEnd lies before every start, so an open range reaches as far as its start.
template <class Table>
void widen(Span& span, bool& any, const Table& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::int64_t start_ns = table.start_ns[i], end_ns = std::max(start_ns, table.end_ns[i]);
    span =
        any ? Span{std::min(span.start_ns, start_ns), std::max(span.end_ns, end_ns)} : Span{start_ns, end_ns};
    any = true;
  }
}

}  // namespace

Span Trace::span() const {
  Span span;
  bool any = false;
  widen(span, any, kernels);
  widen(span, any, copies);
  widen(span, any, fills);
  widen(span, any, synchronizations);
  widen(span, any, graph_launches);
  widen(span, any, api_calls);
  widen(span, any, nvtx);
  for (std::size_t i = 0; i < cuda_events.size(); ++i) {
    const std::int64_t time_ns = cuda_events.start_ns[i];
    if (time_ns == 0) continue;  // not captured
    span =
        any ? Span{std::min(span.start_ns, time_ns), std::max(span.end_ns, time_ns)} : Span{time_ns, time_ns};
    any = true;
  }
  return span;
}

std::optional<std::int64_t> Trace::clock_residual_ns() const {
  std::int64_t residual_ns = 0;
  for (const ClockAlignment& clock : clocks) {
    if (clock.residual_ns < 0) return std::nullopt;
    residual_ns = std::max(residual_ns, clock.residual_ns);
  }
  return residual_ns;
}

void sort_by_start(Trace& trace) {
  visit_tables(trace, [](auto& table) { sort_table_by_start(table); });
  sort_table_by_start(trace.counters);
}

}  // namespace gputrace::trace
