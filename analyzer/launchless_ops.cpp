#include "analyzer/launchless_ops.h"

#include <algorithm>
#include <string_view>

#include "analyzer/call_kinds.h"
#include "analyzer/input_waits.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

std::size_t slot_of(trace::ThreadIndex thread) { return static_cast<std::size_t>(thread.value + 1); }

// By thread, the outer ones first.
std::vector<std::size_t> long_ops(const trace::Trace& trace, trace::Span window) {
  const trace::NvtxRanges& nvtx = trace.nvtx;
  enum class IsOp : std::uint8_t { unknown, no, yes };
  std::vector<IsOp> is_op(trace.strings.size(), IsOp::unknown);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < nvtx.size(); ++i) {
    if (nvtx.end_ns[i] == trace::kNoEnd || nvtx.start_ns[i] < window.start_ns || nvtx.end_ns[i] > window.end_ns) continue;
    if (nvtx.end_ns[i] - nvtx.start_ns[i] < static_cast<std::int64_t>(thresholds::kLongCpuOpNs)) continue;
    IsOp& known = is_op[nvtx.text[i].value];
    if (known == IsOp::unknown) known = trace.text(nvtx.text[i]).starts_with("aten::") ? IsOp::yes : IsOp::no;
    if (known == IsOp::yes) rows.push_back(i);
  }
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    if (nvtx.thread[a] != nvtx.thread[b]) return nvtx.thread[a] < nvtx.thread[b];
    if (nvtx.start_ns[a] != nvtx.start_ns[b]) return nvtx.start_ns[a] < nvtx.start_ns[b];
    return nvtx.end_ns[a] > nvtx.end_ns[b];
  });
  return rows;
}

struct ThreadCalls {
  bool looked_at = false, hands_out = false;
  std::vector<std::int64_t> start_ns;
};

std::vector<ThreadCalls> calls_of_threads(const trace::Trace& trace, const std::vector<std::size_t>& ops) {
  std::vector<ThreadCalls> threads(trace.threads.size() + 1);
  for (const std::size_t op : ops) threads[slot_of(trace.nvtx.thread[op])].looked_at = true;
  std::vector<bool> launches(trace.strings.size());
  for (std::size_t i = 0; i < trace.strings.size(); ++i)
    launches[i] = call_kind(trace.text(trace::StringId{static_cast<std::uint32_t>(i)})) == CallKind::launch;
  for (std::size_t i = 0; i < trace.api_calls.size(); ++i) {
    ThreadCalls& thread = threads[slot_of(trace.api_calls.thread[i])];
    if (!thread.looked_at) continue;
    thread.start_ns.push_back(trace.api_calls.start_ns[i]);
    thread.hands_out = thread.hands_out || launches[trace.api_calls.name[i].value];
  }
  for (ThreadCalls& thread : threads) std::sort(thread.start_ns.begin(), thread.start_ns.end());
  return threads;
}

}  // namespace

std::vector<std::size_t> find_launchless_ops(const trace::Trace& trace, const Metrics& metrics) {
  std::vector<std::size_t> found;
  if (!trace.has(trace::Table::api_calls)) return found;
  const std::vector<std::size_t> ops = long_ops(trace, metrics.window);
  if (ops.empty()) return found;
  const std::vector<ThreadCalls> threads = calls_of_threads(trace, ops);
  const std::vector<trace::Span> waits = input_waits(trace, metrics.window);
  const trace::NvtxRanges& nvtx = trace.nvtx;
  for (const std::size_t op : ops) {
    const trace::Span span{nvtx.start_ns[op], nvtx.end_ns[op]};
    if (!found.empty() && nvtx.thread[found.back()] == nvtx.thread[op] && nvtx.end_ns[found.back()] >= span.end_ns) continue;
    const ThreadCalls& thread = threads[slot_of(nvtx.thread[op])];
    const auto first_call = std::lower_bound(thread.start_ns.begin(), thread.start_ns.end(), span.start_ns);
    const bool asks = first_call != thread.start_ns.end() && *first_call < span.end_ns;
    if (thread.hands_out && !asks && 2 * covered_ns(waits, span) < span.duration_ns()) found.push_back(op);
  }
  return found;
}

}  // namespace gputrace::analyzer
