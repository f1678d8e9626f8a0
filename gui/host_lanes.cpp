#include "gui/host_lanes.h"

#include <algorithm>

namespace gputrace::gui {
namespace {

using trace::Table;

class HostLanes {
 public:
  HostLanes(const trace::Trace& trace, std::int64_t trace_end_ns, LaneShare share)
      : trace_{trace}, trace_end_ns_{trace_end_ns}, share_{share}, threads_(trace.threads.size()) {}

  LaneBuilders build() {
    add_calls();
    add_ranges();
    return std::move(processes_);
  }

 private:
  void add_calls() {
    const trace::ApiCalls& calls = trace_.api_calls;
    const trace::Overheads& overheads = trace_.overheads;
    const std::vector<Category> categories = categories_by_name(calls.name, api_category);
    for (const auto* threads : {&calls.thread, &overheads.thread})
      for (const trace::ThreadIndex thread : *threads)
        if (share_.has(thread)) lanes_of(thread).calls.expect_one();
    for_each_in_order<2>({&calls.start_ns, &overheads.start_ns}, [&](std::size_t table, std::size_t row) {
      const trace::ThreadIndex thread = table == 0 ? calls.thread[row] : overheads.thread[row];
      if (!share_.has(thread)) return;
      if (table == 0)
        lanes_of(thread).calls.add(calls.start_ns[row], calls.end_ns[row], EventRef{Table::api_calls, row},
                                   categories[calls.name[row].value]);
      else
        lanes_of(thread).calls.add(overheads.start_ns[row], overheads.end_ns[row], EventRef{Table::overheads, row},
                                   Category::overhead);
    });
  }

  void add_ranges() {
    const trace::NvtxRanges& nvtx = trace_.nvtx;
    const std::vector<Category> categories = categories_by_name(nvtx.text, range_category);
    for (std::size_t i = 0; i < std::min(nvtx.size(), EventRef::kMaxRows); ++i) {
      if (!share_.has(nvtx.thread[i])) continue;
      const bool open = nvtx.end_ns[i] == trace::kNoEnd;
      const std::int64_t end_ns = open ? std::max(trace_end_ns_, nvtx.start_ns[i]) : nvtx.end_ns[i];
      lanes_of(nvtx.thread[i])
          .domains[nvtx.domain[i]]
          .add(nvtx.start_ns[i], end_ns, EventRef{Table::nvtx, i}, categories[nvtx.text[i].value]);
    }
  }

  // By string id; of the names given only.
  std::vector<Category> categories_by_name(const std::vector<trace::StringId>& names, Category (*of)(std::string_view)) const {
    std::vector<Category> categories(trace_.strings.size(), Category::count);
    for (const trace::StringId name : names)
      if (categories[name.value] == Category::count) categories[name.value] = of(trace_.text(name));
    return categories;
  }

  ThreadLanes& lanes_of(trace::ThreadIndex thread) {
    const bool known = thread.value >= 0 && static_cast<std::size_t>(thread.value) < threads_.size();
    if (!known) return processes_[trace::ProcessIndex{-1}].threads[thread];
    ThreadLanes*& lanes = threads_[static_cast<std::size_t>(thread.value)];
    if (lanes == nullptr) lanes = &processes_[trace_.threads[static_cast<std::size_t>(thread.value)].process].threads[thread];
    return *lanes;
  }

  const trace::Trace& trace_;
  std::int64_t trace_end_ns_;
  LaneShare share_;
  std::vector<ThreadLanes*> threads_;  // by index; those that had an event, in processes_
  LaneBuilders processes_;
};

}  // namespace

LaneBuilders build_host_lanes(const trace::Trace& trace, std::int64_t trace_end_ns, LaneShare share) {
  return HostLanes{trace, trace_end_ns, share}.build();
}

}  // namespace gputrace::gui
