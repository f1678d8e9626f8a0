// Reader threads that make the towers' batches ahead of time, and the bounded queue between them: slots of host memory
// that are filled, copied to a GPU and given back. Batch b goes to tower b % towers and lies in slot b % slots. Without
// a batch ahead (prefetch 0) the readers begin when a step asks for its batches, and the training loop waits for them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "trainer/annotations.h"
#include "trainer/backend.h"
#include "trainer/cifar10.h"
#include "trainer/configuration.h"
#include "trainer/op.h"

namespace trainer {

class InputPipeline {
 public:
  // `data` may be nullptr where arithmetic is off: what readers cost does not depend on what they read. All outlive this.
  InputPipeline(Backend& backend, const Configuration& configuration, const Cifar10* data);

  // Slots, as many as the towers hold in a step and configuration.prefetch more; false where the host has too little memory.
  [[nodiscard]] bool allocate();

  // The readers, for Backend::run_threads beside the training loop: they end when all steps have their batches.
  std::vector<std::pair<std::string, std::function<void()>>> readers();

  struct Slot {
    Tensor images, labels;
  };
  // On the training loop's thread, around the towers' work; a step ends after all its copies are done.
  void begin_step(std::int64_t step);
  void end_step(std::int64_t step);
  const Slot& wait_for_batch(int tower, std::int64_t step);  // on the tower's thread

 private:
  void give_back(std::int64_t step);
  void read_batches(int reader);
  void read_batch(std::int64_t batch, Slot& slot);
  void store_example(std::int64_t example, std::int64_t place, Slot& slot) const;
  std::size_t slot_of(std::int64_t batch) const { return static_cast<std::size_t>(batch) % slots_.size(); }
  std::int64_t round_of(std::int64_t batch) const { return batch / static_cast<std::int64_t>(slots_.size()); }

  Backend& backend_;
  const Configuration& configuration_;
  const Cifar10* data_;
  std::deque<Slot> slots_;
  std::vector<Counter> filled_, emptied_;  // per slot: how often
  RangeText text_, wait_text_;
};

}  // namespace trainer
