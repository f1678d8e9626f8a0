// Every CUDA call, by start time.
#include "reports/api_name.h"
#include "reports/summary.h"
#include "reports/thread_ids.h"

namespace gputrace::reports {
namespace {

SummaryTable make(const trace::Trace& trace, analyzer::Explainer& /*explainer*/) {
  if (!trace.has(trace::Table::api_calls)) return {.columns = {}, .rows = {}, .missing = "no API calls in the trace"};
  SummaryTable table{.columns = {{"Start (ns)", Quantity::time_ns},
                                 {"Duration (ns)", Quantity::time_ns},
                                 {"Name", Quantity::text},
                                 {"Result", Quantity::identifier},
                                 {"CorrID", Quantity::identifier},
                                 {"Pid", Quantity::identifier},
                                 {"Tid", Quantity::identifier},
                                 {"T-Pri", Quantity::identifier},  // of no use here: priorities are not captured
                                 {"Thread Name", Quantity::text}},
                     .rows = {},
                     .missing = ""};
  const trace::ApiCalls& calls = trace.api_calls;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const trace::ThreadIndex thread = calls.thread[i];
    table.rows.push_back({calls.start_ns[i], calls.span(i).duration_ns(), std::string(without_api_version(trace.text(calls.name[i]))),
                          std::int64_t{calls.return_value[i]}, calls.correlation[i].value, pid_of(trace, thread), tid_of(trace, thread),
                          std::monostate{},
                          thread.value < 0 ? std::string() : trace.threads[static_cast<std::size_t>(thread.value)].name});
  }
  return table;
}

}  // namespace

extern const Summary cuda_api_trace{"cuda_api_trace", "cuda_api_trace", "CUDA API calls, one by one", make,
                                    /*on_request=*/true, "cudaapitrace"};

}  // namespace gputrace::reports
