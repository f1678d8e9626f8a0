// From the launch to the end of the kernel, by kernel: time in the API call, in the queue, and on the GPU.
#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/launch_index.h"
#include "reports/api_name.h"
#include "reports/summary.h"
#include "reports/thread_ids.h"
#include "reports/value_groups.h"

namespace gputrace::reports {
namespace {

using trace::Trace;

struct Launches {
  std::vector<std::int64_t> total_ns, api_ns, queue_ns, kernel_ns;
};

// Process, thread, device, kernel's name, API's name.
using Key = std::tuple<std::int64_t, std::int64_t, std::int32_t, std::string_view, std::string_view>;

std::map<Key, Launches> by_kernel(const Trace& trace) {
  std::map<Key, Launches> groups;
  const analyzer::LaunchIndex index(trace);
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    const auto call = index.call(trace.kernels.process[i], trace.kernels.correlation[i]);
    if (!call) continue;  // what launched it was not captured
    const trace::Span api = trace.api_calls.span(*call), kernel = trace.kernels.span(i);
    const std::int64_t pid = pid_of(trace, trace.kernels.process[i]), tid = tid_of(trace, trace.api_calls.thread[*call]);
    Launches& launches = groups[{pid, tid, trace.kernels.device[i].value, trace.text(trace.kernels.name[i]),
                                 without_api_version(trace.text(trace.api_calls.name[*call]))}];
    launches.total_ns.push_back(std::max(api.end_ns, kernel.end_ns) - api.start_ns);
    launches.api_ns.push_back(api.duration_ns());
    launches.kernel_ns.push_back(kernel.duration_ns());
    // A kernel that starts before its call returns has not waited in a queue.
    if (kernel.start_ns > api.end_ns) launches.queue_ns.push_back(kernel.start_ns - api.end_ns);
  }
  return groups;
}

void add_columns(std::vector<SummaryColumn>& columns, const std::string& letter) {
  for (const char* figure : {"Avg", "Med", "Min", "Max", "StdDev"}) {
    columns.push_back({letter + figure + " (ns)", Quantity::time_ns});
  }
}

std::vector<SummaryColumn> columns() {
  std::vector<SummaryColumn> all{{"PID", Quantity::identifier},
                                 {"TID", Quantity::identifier},
                                 {"DevId", Quantity::identifier},
                                 {"Count", Quantity::count},
                                 {"QCount", Quantity::count}};
  for (const char* letter : {"T", "A", "Q", "K"}) add_columns(all, letter);  // total, API, queue, kernel
  all.push_back({"API Name", Quantity::text});
  all.push_back({"Kernel Name", Quantity::text});
  all.push_back({"Label", Quantity::text});  // after the columns that scripts know
  return all;
}

void add_figures(std::vector<SummaryCell>& row, const std::vector<std::int64_t>& values_ns) {
  if (values_ns.empty()) {
    row.insert(row.end(), 5, std::monostate{});
    return;
  }
  const Statistics of = statistics(values_ns);
  row.insert(row.end(), {of.mean, of.median, of.min, of.max, of.standard_deviation});
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
  std::int64_t total = 0;
  for (const std::int64_t value : values) total += value;
  return total;
}

SummaryTable make(const Trace& trace, analyzer::Explainer& explainer) {
  if (!trace.has(trace::Table::kernels))
    return {.columns = {}, .rows = {}, .missing = "no kernels in the trace"};
  if (!trace.has(trace::Table::api_calls))
    return {.columns = {}, .rows = {}, .missing = "no API calls in the trace"};
  SummaryTable table{.columns = columns(), .rows = {}, .missing = ""};
  const auto groups = by_kernel(trace);
  std::vector<std::pair<std::int64_t, const std::pair<const Key, Launches>*>> order;
  for (const auto& group : groups) order.emplace_back(sum(group.second.total_ns), &group);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [total_ns, group] : order) {
    const auto& [pid, tid, device, kernel, api] = group->first;
    const Launches& launches = group->second;
    auto& row = table.rows.emplace_back();
    row = {pid, tid, std::int64_t{device}, static_cast<std::int64_t>(launches.total_ns.size()),
           static_cast<std::int64_t>(launches.queue_ns.size())};
    for (const auto* values :
         {&launches.total_ns, &launches.api_ns, &launches.queue_ns, &launches.kernel_ns}) {
      add_figures(row, *values);
    }
    row.emplace_back(std::string(api));
    row.emplace_back(std::string(kernel));
    row.emplace_back(explainer.explain(kernel).label);
  }
  return table;
}

}  // namespace

extern const Summary cuda_kern_exec_sum{"cuda_kern_exec_sum", "launch", "CUDA kernels, from launch to end",
                                        make, /*on_request=*/false, "kernexecsum"};

}  // namespace gputrace::reports
