// Builds the list of ops of one tower once, before the first step: the forward ops as they are added, then
// the backward ops from the rules that the forward ops left on a tape (reverse-mode differentiation). Where
// several gradients meet, an AddN op sums them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/op.h"

namespace trainer {

class Graph {
 public:
  Graph(std::string scope, Placement placement);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Tensor* temporary(Shape shape);
  Tensor* persistent(Shape shape);  // a variable, an input, a result

  // Appends an op to run at this point. Outputs become differentiable when an input is.
  void add(OpSpec spec);

  // Leaves a rule that adds the backward ops of what was just added; it is skipped where no gradient reaches
  // `output`. The rule is given the gradient of `output` and calls add_gradient for each differentiable
  // input.
  void differentiate(Tensor* output, std::function<void(Tensor* output_gradient)> rule);
  void add_gradient(Tensor* of, Tensor* part);
  // Runs the tape backwards from d(loss)/d(loss) = seed. Called once, after the forward ops.
  void backward(Tensor* loss, Tensor* seed);
  Tensor* gradient(Tensor* of);  // nullptr where none reaches it; may add an AddN op

  const std::vector<Op>& ops() const { return ops_; }
  std::vector<Op>& ops() { return ops_; }
  const Placement& placement() const { return placement_; }

  // Names ops within "outer/inner" until destroyed.
  class Scope {
   public:
    Scope(Graph& graph, std::string_view name);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Graph& graph_;
    std::string outer_;
  };

 private:
  std::string unique_name(const std::string& type);

  struct Rule {
    std::string scope;
    Tensor* output;
    std::function<void(Tensor*)> apply;
  };
  std::string scope_;
  Placement placement_;
  std::deque<Tensor> tensors_;  // a deque: addresses stay
  std::vector<Op> ops_;
  std::vector<Rule> tape_;
  bool taping_ = true;
  std::map<const Tensor*, std::vector<Tensor*>> gradient_parts_;
  std::map<std::string, int> names_;
};

// The text of an op's annotation, in the style that PyTorch's emit_nvtx uses.
std::string op_annotation(const Op& op);

}  // namespace trainer
