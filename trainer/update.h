// The weight update as ops: average the gradients, clip them where the model asks for it, apply the
// optimizer.
#pragma once

#include <memory>
#include <vector>

#include "trainer/backend.h"
#include "trainer/configuration.h"
#include "trainer/graph.h"
#include "trainer/op_sequence.h"

namespace trainer {

class Update {
 public:
  // gradients[i][t]: of variable i from tower t, to be averaged. Adam with clipping for the MLP (learning
  // rate 1e-4, beta 0.5 and 0.9, global norm 5), momentum SGD for the residual network (0.05, 0.9).
  Update(const Configuration& configuration, const Placement& placement,
         const std::vector<Tensor*>& variables, const std::vector<std::vector<Tensor*>>& gradients);

  // Optimizer slots (zeros) and temporaries, in `memory` (of `device`); false where storage was asked for and
  // there is too little.
  [[nodiscard]] bool allocate(Backend& backend, Memory memory, int device, bool with_storage);
  void run(Backend& backend, Stream stream) const { ops_.run(backend, stream); }

 private:
  void add_adam(const std::vector<Tensor*>& variables, const std::vector<Tensor*>& gradients);
  void add_momentum(const std::vector<Tensor*>& variables, const std::vector<Tensor*>& gradients);
  Tensor* slot(const Shape& shape);

  std::unique_ptr<Graph> graph_;
  std::vector<Tensor*> slots_;
  OpSequence ops_;
};

}  // namespace trainer
