#include "trainer/stream_assignment.h"

#include <algorithm>
#include <map>
#include <set>

namespace trainer {

namespace {

struct Uses {
  std::vector<std::size_t> readers;  // since the last write
  std::size_t writer = 0;
  bool written = false;
};

class Assignment {
 public:
  Assignment(std::size_t ops, int streams) : slots_(ops), last_op_(static_cast<std::size_t>(streams), kNone) {}

  void place(std::size_t index, const Op& op) {
    const std::set<std::size_t> before = dependencies(op);
    const int stream = stream_for(before);
    slots_[index].stream = stream;
    wait_for_latest_of_each_stream(index, before);
    last_op_[static_cast<std::size_t>(stream)] = index + 1;
    note_uses(index, op);
  }
  std::vector<StreamSlot> take() { return std::move(slots_); }

 private:
  static constexpr std::size_t kNone = 0;  // last_op_ counts from 1, so that an unused stream is the oldest

  std::set<std::size_t> dependencies(const Op& op) const {
    std::set<std::size_t> before;
    for (const Tensor* tensor : op.inputs)
      if (const auto used = uses_.find(tensor); used != uses_.end() && used->second.written) before.insert(used->second.writer);
    for (const Tensor* tensor : op.outputs) {
      const auto used = uses_.find(tensor);
      if (used == uses_.end()) continue;
      if (used->second.written) before.insert(used->second.writer);
      before.insert(used->second.readers.begin(), used->second.readers.end());
    }
    return before;
  }

  int stream_for(const std::set<std::size_t>& before) const {
    if (!before.empty()) {
      const int latest = slots_[*before.rbegin()].stream;
      if (last_op_[static_cast<std::size_t>(latest)] == *before.rbegin() + 1) return latest;
    }
    return static_cast<int>(std::min_element(last_op_.begin(), last_op_.end()) - last_op_.begin());
  }

  // A stream keeps its order: what came before the latest one is done with it.
  void wait_for_latest_of_each_stream(std::size_t index, const std::set<std::size_t>& before) {
    std::map<int, std::size_t> latest;
    for (const std::size_t op : before) latest[slots_[op].stream] = op;
    for (const auto& [stream, op] : latest) {
      if (stream == slots_[index].stream) continue;
      slots_[index].waits_for.push_back(op);
      slots_[op].is_waited_for = true;
    }
    std::sort(slots_[index].waits_for.begin(), slots_[index].waits_for.end());
  }

  void note_uses(std::size_t index, const Op& op) {
    for (const Tensor* tensor : op.inputs) uses_[tensor].readers.push_back(index);
    for (const Tensor* tensor : op.outputs) uses_[tensor] = {{}, index, true};
  }

  std::vector<StreamSlot> slots_;
  std::vector<std::size_t> last_op_;  // per stream: index + 1
  std::map<const Tensor*, Uses> uses_;
};

}  // namespace

std::vector<StreamSlot> assign_streams(const std::vector<Op>& ops, int streams) {
  Assignment assignment(ops.size(), streams);
  for (std::size_t index = 0; index < ops.size(); ++index) assignment.place(index, ops[index]);
  return assignment.take();
}

}  // namespace trainer
