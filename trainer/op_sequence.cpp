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

void OpSequence::run(Backend& backend, Stream stream) const {
  for (const auto& [op, text] : entries_) {
    const Range range(text);
    backend.framework_dispatch();
    if (op.is_copy) {
      backend.copy_async(op.outputs.front()->buffer, op.inputs.front()->buffer,
                         op.inputs.front()->shape.size_bytes(), stream);
    } else if (op.placement.on_gpu) {
      for (const KernelLaunch& kernel : op.kernels) backend.launch(stream, kernel);
    } else {
      backend.host_work(op.host_work);
    }
  }
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
