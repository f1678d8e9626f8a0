#include "analyzer/predicted_trace.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

#include "analyzer/launch_index.h"
#include "trace/trace_columns.h"

namespace gputrace::analyzer {
namespace {

using trace::Span;
using trace::Trace;

// A host thread's recorded time to its replayed one: as its calls move, and evenly between them.
class ThreadClock {
 public:
  void add(std::int64_t recorded_ns, std::int64_t replayed_ns) {
    if (!points_.empty() && recorded_ns < points_.back().recorded_ns) return;
    points_.push_back({recorded_ns, points_.empty() ? replayed_ns : std::max(replayed_ns, points_.back().replayed_ns)});
  }

  std::int64_t at(std::int64_t recorded_ns) const {
    if (points_.empty()) return recorded_ns;
    const auto after = std::upper_bound(points_.begin(), points_.end(), recorded_ns, [](std::int64_t ns, const Point& point) { return ns < point.recorded_ns; });
    if (after == points_.begin()) return recorded_ns + (points_.front().replayed_ns - points_.front().recorded_ns);
    const Point& before = *std::prev(after);
    if (after == points_.end() || after->recorded_ns == before.recorded_ns) return before.replayed_ns + (recorded_ns - before.recorded_ns);
    const double share = static_cast<double>(recorded_ns - before.recorded_ns) / static_cast<double>(after->recorded_ns - before.recorded_ns);
    return before.replayed_ns + static_cast<std::int64_t>(share * static_cast<double>(after->replayed_ns - before.replayed_ns));
  }

 private:
  struct Point {
    std::int64_t recorded_ns, replayed_ns;
  };
  std::vector<Point> points_;
};

class Mover {
 public:
  Mover(Trace trace, const ChangedGraph& changed)
      : trace_(std::move(trace)), graph_(changed.graph()), changed_(changed), replayed_(changed.replayed()), clocks_(trace_.threads.size() + 1) {
    for (Task task = 0; task < graph_.task_count(); ++task) wind_clocks(task);
  }

  Trace move(const std::string& what) {
    // While the API calls are at their recorded places, since the launches of waits and events are found by them.
    move_by_calls(trace_.synchronizations);
    move_by_calls(trace_.cuda_events);
    move_ranges();
    move_activities(trace_.kernels, TaskKind::kernel);
    move_activities(trace_.copies, TaskKind::copy);
    move_activities(trace_.fills, TaskKind::fill);
    move_activities(trace_.graph_launches, TaskKind::graph);
    move_calls();
    keep(trace_.overheads, {});
    trace_.captured.reset(static_cast<std::size_t>(trace::Table::overheads));
    trace::sort_by_start(trace_);
    trace_.metadata.machine = trace_.metadata.simulated ? trace_.metadata.machine + ", " + what : what;
    trace_.metadata.simulated = true;
    return std::move(trace_);
  }

 private:
  ThreadClock& clock(trace::ThreadIndex thread) { return clocks_[static_cast<std::size_t>(thread.value + 1)]; }

  void wind_clocks(Task task) {
    const Moment start = start_of(task), end = end_of(task);
    if (graph_.kind[task] == TaskKind::call) {
      ThreadClock& own = clock(trace_.api_calls.thread[graph_.row[task]]);
      own.add(graph_.recorded_ns[start], replayed_.at_ns[start]);
      own.add(graph_.recorded_ns[end], replayed_.at_ns[end]);
    } else if (graph_.kind[task] == TaskKind::barrier) {
      for (ThreadClock& each : clocks_) each.add(graph_.recorded_ns[start], replayed_.at_ns[start]);
    }
  }

  bool is_left_out(Task task) const {
    return changed_.duration_ns(task) == 0 && graph_.recorded_ns[end_of(task)] > graph_.recorded_ns[start_of(task)] &&
           replayed_.at_ns[end_of(task)] == replayed_.at_ns[start_of(task)];
  }

  template <class Table>
  static void keep(Table& table, const std::vector<std::uint32_t>& rows) {
    trace::visit_columns(table, [&](auto& column) {
      std::remove_reference_t<decltype(column)> kept;
      kept.reserve(rows.size());
      for (const std::uint32_t row : rows) kept.push_back(column[row]);
      column.swap(kept);
    });
  }

  template <class Table>
  void move_activities(Table& table, TaskKind kind) {
    std::vector<std::uint32_t> rows;
    for (Task task = 0; task < graph_.task_count(); ++task) {
      if (graph_.kind[task] != kind || is_left_out(task)) continue;
      const std::uint32_t row = graph_.row[task];
      table.start_ns[row] = replayed_.at_ns[start_of(task)];
      table.end_ns[row] = replayed_.at_ns[end_of(task)];
      rows.push_back(row);
    }
    keep(table, rows);
  }

  // Calls within others move with their thread.
  void move_calls() {
    trace::ApiCalls& calls = trace_.api_calls;
    std::vector<bool> is_task(calls.size());
    std::vector<std::uint32_t> rows;
    std::optional<Span> whole;
    for (Task task = 0; task < graph_.task_count(); ++task) {
      if (graph_.kind[task] != TaskKind::call) continue;
      const std::uint32_t row = graph_.row[task];
      is_task[row] = true;
      whole = whole ? Span{std::min(whole->start_ns, calls.start_ns[row]), std::max(whole->end_ns, calls.end_ns[row])} : calls.span(row);
      if (is_left_out(task)) continue;
      calls.start_ns[row] = replayed_.at_ns[start_of(task)];
      calls.end_ns[row] = replayed_.at_ns[end_of(task)];
      rows.push_back(row);
    }
    for (std::uint32_t row = 0; row < calls.size() && whole; ++row) {
      if (is_task[row] || calls.start_ns[row] < whole->start_ns || calls.end_ns[row] > whole->end_ns) continue;
      const ThreadClock& own = clock(calls.thread[row]);
      calls.start_ns[row] = own.at(calls.start_ns[row]);
      calls.end_ns[row] = own.at(calls.end_ns[row]);
      if (calls.end_ns[row] > calls.start_ns[row]) rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end());
    keep(calls, rows);
  }

  template <class Table>
  void move_by_calls(Table& table) {
    const LaunchIndex launches(trace_);
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < table.size(); ++row) {
      const auto call = launches.call(table.process[row], table.correlation[row]);
      if (!call || !is_replayed(trace_.api_calls.span(*call))) continue;
      const ThreadClock& own = clock(trace_.api_calls.thread[*call]);
      const bool has_time = table.start_ns[row] != 0 || table.end_ns[row] != 0;  // of events it may not be captured
      if (has_time) table.start_ns[row] = own.at(table.start_ns[row]), table.end_ns[row] = own.at(table.end_ns[row]);
      rows.push_back(row);
    }
    keep(table, rows);
  }

  void move_ranges() {
    trace::NvtxRanges& ranges = trace_.nvtx;
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < ranges.size(); ++row) {
      const bool open = ranges.end_ns[row] == trace::kNoEnd;
      if (!is_replayed({ranges.start_ns[row], open ? INT64_MAX : ranges.end_ns[row]})) continue;
      const ThreadClock& own = clock(ranges.thread[row]);
      ranges.start_ns[row] = own.at(ranges.start_ns[row]);
      if (!open) ranges.end_ns[row] = own.at(ranges.end_ns[row]);
      rows.push_back(row);
    }
    keep(ranges, rows);
  }

  bool is_replayed(Span span) const {
    if (graph_.order.empty()) return false;
    return span.end_ns >= graph_.recorded_ns[graph_.order.front()] && span.start_ns <= graph_.recorded_ns[graph_.order.back()];
  }

  Trace trace_;
  const DependencyGraph& graph_;
  const ChangedGraph& changed_;
  Replayed replayed_;
  std::vector<ThreadClock> clocks_;  // by ThreadIndex + 1
};

}  // namespace

Trace predicted_trace(Trace trace, const ChangedGraph& changed, const std::string& what) { return Mover(std::move(trace), changed).move(what); }

}  // namespace gputrace::analyzer
