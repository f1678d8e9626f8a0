// A list of ops ready to run: each with its registered annotation, in program order, on one stream, on several, or on the
// host.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "trainer/annotations.h"
#include "trainer/backend.h"
#include "trainer/op.h"
#include "trainer/stream_assignment.h"

namespace trainer {

// Called around each op with its index; either may be empty.
struct OpHooks {
  std::function<void(std::size_t op)> before, after;
};

class OpSequence {
 public:
  OpSequence() = default;
  // with_arithmetic: false where the tensors have no storage.
  OpSequence(std::vector<Op> ops, bool with_arithmetic);

  // Spreads the ops over the streams that `run_on` is given, all of `device`. Once, before that.
  void spread(Backend& backend, int device, int streams);

  // Hands the ops out one after the other, as a framework's executor does; GPU ops are queued on `stream`, an
  // op on the host is done when this goes on.
  void run(Backend& backend, Stream stream, const OpHooks& hooks = {}) const;
  // The same, spread over streams: the others begin after what is queued on the first, and the first goes on after them.
  void run_on(Backend& backend, const std::vector<Stream>& streams, const OpHooks& hooks = {}) const;

 private:
  struct Entry {
    Op op;
    RangeText text;
  };
  void hand_out(Backend& backend, Stream stream, std::size_t index, const OpHooks& hooks) const;

  std::vector<Entry> entries_;
  std::vector<StreamSlot> slots_;  // of the entries, where they are spread
  std::vector<Event> done_;        // of the entries that others wait for
  Event begun_;
  std::vector<Event> joined_;      // of each stream
};

// Copies the value of a persistent tensor into another one: what TensorFlow calls a receive on the device
// `placement`.
Op copy_op(std::string name, const Placement& placement, Tensor* from, Tensor* to);

}  // namespace trainer
