// A list of ops ready to run: each with its registered annotation, in program order, on one stream or on the
// host.
#pragma once

#include <vector>

#include "trainer/annotations.h"
#include "trainer/backend.h"
#include "trainer/op.h"

namespace trainer {

class OpSequence {
 public:
  OpSequence() = default;
  // with_arithmetic: false where the tensors have no storage.
  OpSequence(std::vector<Op> ops, bool with_arithmetic);

  // Hands the ops out one after the other, as a framework's executor does; GPU ops are queued on `stream`, an
  // op on the host is done when this goes on.
  void run(Backend& backend, Stream stream) const;

 private:
  struct Entry {
    Op op;
    RangeText text;
  };
  std::vector<Entry> entries_;
};

// Copies the value of a persistent tensor into another one: what TensorFlow calls a receive on the device
// `placement`.
Op copy_op(std::string name, const Placement& placement, Tensor* from, Tensor* to);

}  // namespace trainer
