#include "analyzer/replay/default_stream.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace gputrace::analyzer {
namespace {

constexpr std::int64_t kBeginsWithinNs = 10'000;  // of the other stream's end: it waited for that
constexpr std::int64_t kAskedLongBeforeNs = 20'000;

class Pair {
 public:
  Pair(const TaskTable& tasks, const StreamIndex& index, const std::vector<Task>& one, const std::vector<Task>& other)
      : tasks_(tasks), index_(index), both_(one.size() + other.size()) {
    std::merge(one.begin(), one.end(), other.begin(), other.end(), both_.begin());
    is_other_.resize(both_.size());
    for (std::size_t i = 0, next = 0; i < both_.size(); ++i) {
      is_other_[i] = next < other.size() && both_[i] == other[next];
      next += is_other_[i];
    }
  }

  bool take_turns() const {
    std::size_t handovers = 0;
    for (std::size_t i = 1; i < both_.size(); ++i) {
      const std::int64_t start_ns = tasks_.start_ns(both_[i]), before_ns = tasks_.end_ns(both_[i - 1]);
      if (before_ns > start_ns && is_other_[i] != is_other_[i - 1]) return false;  // at the same time
      handovers += is_other_[i] != is_other_[i - 1] && waited(i);
    }
    return handovers >= kLeastHandovers;
  }

  // In the order in which the host asked for them, each waits for the last of the other stream.
  void add_waits(TaskPairs& waits) const {
    Task last[2] = {kNoTask, kNoTask};
    for (std::size_t i = 0; i < both_.size(); ++i) {
      const Task before = last[is_other_[i] ? 0 : 1];
      if (before != kNoTask && index_.launch_ns(before) <= index_.launch_ns(both_[i])) waits.add(both_[i], before);
      last[is_other_[i] ? 1 : 0] = both_[i];
    }
  }

 private:
  // Nothing but the other stream's work explains when this began.
  bool waited(std::size_t i) const {
    const std::int64_t start_ns = tasks_.start_ns(both_[i]), other_ns = tasks_.end_ns(both_[i - 1]);
    if (index_.call(both_[i]) == kNoTask || start_ns - other_ns > kBeginsWithinNs || other_ns - index_.launch_ns(both_[i]) < kAskedLongBeforeNs) return false;
    for (std::size_t k = i; k-- > 0;) {  // its own stream's work before
      if (is_other_[k] == is_other_[i]) return other_ns - tasks_.end_ns(both_[k]) > kBeginsWithinNs;
    }
    return true;
  }

  const TaskTable& tasks_;
  const StreamIndex& index_;
  std::vector<Task> both_;
  std::vector<bool> is_other_;
};

}  // namespace

void find_default_stream_waits(const TaskTable& tasks, const trace::Trace& trace, const StreamIndex& index, TaskPairs& waits) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::map<std::int32_t, const std::vector<Task>*>> contexts;  // by stream id
  for (const std::vector<Task>& stream : index.streams()) {
    const trace::DeviceColumns& table = columns_of(trace, tasks.kind[stream.front()]);
    const std::uint32_t row = tasks.row[stream.front()];
    contexts[{table.process[row].value, table.context[row].value}][table.stream[row].value] = &stream;
  }
  for (const auto& [context, streams] : contexts) {
    for (auto other = std::next(streams.begin()); other != streams.end(); ++other) {
      const Pair pair(tasks, index, *streams.begin()->second, *other->second);
      if (pair.take_turns()) pair.add_waits(waits);
    }
  }
}

}  // namespace gputrace::analyzer
