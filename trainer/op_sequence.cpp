#include "trainer/op_sequence.h"

#include <utility>

#include "trainer/graph.h"

namespace trainer {

namespace {

void drop_arithmetic(Op& op) {
  for (KernelLaunch& kernel : op.kernels) kernel.arithmetic = nullptr;
  op.host_work.arithmetic = nullptr;
}

}  // namespace

OpSequence::OpSequence(std::vector<Op> ops, bool with_arithmetic) {
  entries_.reserve(ops.size());
  for (Op& op : ops) {
    if (!with_arithmetic) drop_arithmetic(op);
    RangeText text(Concern::op, op.annotation);
    entries_.push_back({std::move(op), text});
  }
}

void OpSequence::spread(Backend& backend, int device, int streams) {
  std::vector<Op> ops;
  for (const Entry& entry : entries_) ops.push_back(entry.op);
  slots_ = assign_streams(ops, streams);
  for (const StreamSlot& slot : slots_) done_.push_back(slot.is_waited_for ? backend.create_event(device) : Event{});
  begun_ = backend.create_event(device);
  for (int stream = 0; stream < streams; ++stream) joined_.push_back(backend.create_event(device));
}

void OpSequence::run(Backend& backend, Stream stream, const OpHooks& hooks) const {
  for (std::size_t index = 0; index < entries_.size(); ++index) hand_out(backend, stream, index, hooks);
}

void OpSequence::run_on(Backend& backend, const std::vector<Stream>& streams, const OpHooks& hooks) const {
  if (slots_.empty()) return run(backend, streams.front(), hooks);
  backend.record(begun_, streams.front());
  for (std::size_t other = 1; other < streams.size(); ++other) backend.wait(streams[other], begun_);
  for (std::size_t index = 0; index < entries_.size(); ++index) {
    const StreamSlot& slot = slots_[index];
    const Stream stream = streams[static_cast<std::size_t>(slot.stream)];
    for (const std::size_t op : slot.waits_for) backend.wait(stream, done_[op]);
    hand_out(backend, stream, index, hooks);
    if (slot.is_waited_for) backend.record(done_[index], stream);
  }
  for (std::size_t other = 1; other < streams.size(); ++other) {
    backend.record(joined_[other], streams[other]);
    backend.wait(streams.front(), joined_[other]);
  }
}

void OpSequence::hand_out(Backend& backend, Stream stream, std::size_t index, const OpHooks& hooks) const {
  const auto& [op, text] = entries_[index];
  const Range range(text);
  if (hooks.before) hooks.before(index);
  backend.framework_dispatch();
  if (op.is_copy) {
    backend.copy_async(op.outputs.front()->buffer, op.inputs.front()->buffer, op.inputs.front()->shape.size_bytes(), stream);
  } else if (op.placement.on_gpu) {
    for (const KernelLaunch& kernel : op.kernels) backend.launch(stream, kernel);
  } else {
    backend.host_work(op.host_work);
  }
  if (hooks.after) hooks.after(index);
}

Op copy_op(std::string name, const Placement& placement, Tensor* from, Tensor* to) {
  Op op{.type = "_Recv",
        .name = std::move(name),
        .inputs = {from},
        .outputs = {to},
        .placement = placement,
        .kernels = {},
        .host_work = {},
        .is_copy = true,
        .annotation = {}};
  if (to->name.empty()) to->name = op.name;
  op.annotation = op_annotation(op);
  return op;
}

}  // namespace trainer
