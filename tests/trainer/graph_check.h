// Runs a graph's arithmetic without a backend, and compares the gradients that its backward ops compute with
// finite differences of its forward ops.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "trainer/graph.h"

namespace trainer::test {

// Gives every tensor of the graph's ops storage of its own, and runs the ops in order.
class GraphRun {
 public:
  // also: tensors that no op may read, such as a gradient that an op passes on as it is.
  explicit GraphRun(Graph& graph, const std::vector<Tensor*>& also = {});
  void run();

 private:
  Graph& graph_;
  std::deque<std::vector<float>> storage_;
};

Placement host();
Placement gpu(int index);

// Builds y from the variables, takes loss = sum of w y with fixed random weights w, and returns the largest
// difference between a gradient and its finite difference, relative to the largest gradient of that variable
// (at least 1e-3).
double largest_gradient_error(const std::vector<Shape>& variables,
                              const std::function<Tensor*(Graph&, const std::vector<Tensor*>&)>& build,
                              double mean = 0, double deviation = 1);

}  // namespace trainer::test
