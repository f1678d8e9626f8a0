// Every kernel with the call that launched it, by the call's start.
#include <algorithm>

#include "analyzer/launch_index.h"
#include "reports/api_name.h"
#include "reports/dimensions_text.h"
#include "reports/summary.h"
#include "reports/thread_ids.h"

namespace gputrace::reports {
namespace {

using trace::Trace;

std::vector<SummaryColumn> columns() {
  return {{"API Start (ns)", Quantity::time_ns},
          {"API Dur (ns)", Quantity::time_ns},
          {"Queue Start (ns)", Quantity::time_ns},
          {"Queue Dur (ns)", Quantity::time_ns},
          {"Kernel Start (ns)", Quantity::time_ns},
          {"Kernel Dur (ns)", Quantity::time_ns},
          {"Total Dur (ns)", Quantity::time_ns},
          {"PID", Quantity::identifier},
          {"TID", Quantity::identifier},
          {"DevId", Quantity::identifier},
          {"API Function", Quantity::text},
          {"GridXYZ", Quantity::text},
          {"BlockXYZ", Quantity::text},
          {"Kernel Name", Quantity::text},
          {"Label", Quantity::text}};  // after the columns that scripts know
}

std::vector<SummaryCell> row_of(const Trace& trace, std::size_t kernel, std::uint32_t call, analyzer::Explainer& explainer) {
  const trace::Kernels& kernels = trace.kernels;
  const trace::Span api = trace.api_calls.span(call), run = kernels.span(kernel);
  const bool queued = run.start_ns > api.end_ns;  // else it has not waited in a queue
  const auto in_queue = [&](std::int64_t ns) { return queued ? SummaryCell(ns) : SummaryCell(std::monostate{}); };
  return {api.start_ns,
          api.duration_ns(),
          in_queue(api.end_ns),
          in_queue(run.start_ns - api.end_ns),
          run.start_ns,
          run.duration_ns(),
          std::max(api.end_ns, run.end_ns) - api.start_ns,
          pid_of(trace, kernels.process[kernel]),
          tid_of(trace, trace.api_calls.thread[call]),
          std::int64_t{kernels.device[kernel].value},
          std::string(without_api_version(trace.text(trace.api_calls.name[call]))),
          dimensions_text(kernels.grid[kernel]),
          dimensions_text(kernels.block[kernel]),
          std::string(trace.text(kernels.name[kernel])),
          explainer.explain(trace.text(kernels.name[kernel])).label};
}

SummaryTable make(const Trace& trace, analyzer::Explainer& explainer) {
  if (!trace.has(trace::Table::kernels)) return {.columns = {}, .rows = {}, .missing = "no kernels in the trace"};
  if (!trace.has(trace::Table::api_calls)) return {.columns = {}, .rows = {}, .missing = "no API calls in the trace"};
  SummaryTable table{.columns = columns(), .rows = {}, .missing = ""};
  const analyzer::LaunchIndex index(trace);
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    const auto call = index.call(trace.kernels.process[i], trace.kernels.correlation[i]);
    if (call) table.rows.push_back(row_of(trace, i, *call, explainer));
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::get<std::int64_t>(a[0]) < std::get<std::int64_t>(b[0]);
  });
  return table;
}

}  // namespace

extern const Summary cuda_kern_exec_trace{"cuda_kern_exec_trace", "cuda_kern_exec_trace", "CUDA kernels, from launch to end, one by one",
                                          make, /*on_request=*/true, "kernexectrace"};

}  // namespace gputrace::reports
