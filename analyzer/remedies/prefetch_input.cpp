// The input of a step is copied to the GPU while the step before computes: what its kernels hide takes no time.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/input_feeds.h"
#include "analyzer/remedy.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  std::map<std::uint32_t, Task> tasks;  // by row of the copy
  for (Task task = 0; task < input.graph.task_count(); ++task)
    if (input.graph.kind[task] == TaskKind::copy) tasks[input.graph.row[task]] = task;
  for (const InputFeed& feed : input_feeds(input.trace, input.metrics)) {
    std::int64_t hidden_ns = feed.kernels_ns;
    for (const std::uint32_t row : feed.copies) {
      const auto task = tasks.find(row);
      if (task == tasks.end()) continue;
      const std::int64_t copy_ns = graph.duration_ns(task->second), left_ns = std::max<std::int64_t>(0, copy_ns - hidden_ns);
      hidden_ns = std::max<std::int64_t>(0, hidden_ns - copy_ns);
      graph.set_duration(task->second, left_ns);
      if (const auto call = input.graph.asked_by(task->second)) graph.set_duration(*call, std::min(graph.duration_ns(*call), left_ns));
      ++applied.count;
    }
  }
  applied.what = fmt::format("{} copies of input run while the step before computes", applied.count);
  return applied;
}

}  // namespace

extern const Remedy prefetch_input;
constinit const Remedy prefetch_input{"prefetch-input", "a step's input is copied while the step before computes", apply};

}  // namespace gputrace::analyzer
