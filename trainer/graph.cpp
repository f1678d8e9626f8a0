#include "trainer/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trainer/ops/ops.h"

namespace trainer {

namespace {

// An op on the host may use every core: backends cap this by what the machine has.
constexpr int kWholeThreadPool = 1024;

}  // namespace

Graph::Graph(std::string scope, Placement placement)
    : scope_(std::move(scope)), placement_(std::move(placement)) {}

Tensor* Graph::temporary(Shape shape) {
  tensors_.push_back(Tensor{.shape = std::move(shape)});
  return &tensors_.back();
}

Tensor* Graph::persistent(Shape shape) {
  Tensor* tensor = temporary(std::move(shape));
  tensor->persistent = true;
  return tensor;
}

void Graph::add(OpSpec spec) {
  const bool differentiable = std::any_of(spec.inputs.begin(), spec.inputs.end(),
                                          [](const Tensor* input) { return input->differentiable; });
  for (Tensor* output : spec.outputs) output->differentiable |= differentiable;

  Op op{.type = spec.type,
        .name = unique_name(spec.type),
        .inputs = std::move(spec.inputs),
        .outputs = std::move(spec.outputs),
        .placement = placement_,
        .kernels = {},
        .host_work = {},
        .is_backward = !taping_,
        .flops = spec.work.flops,
        .annotation = {}};
  if (placement_.on_gpu) {
    op.kernels = std::move(spec.kernels);
    if (!op.kernels.empty()) op.kernels.back().arithmetic = std::move(spec.arithmetic);
  } else {
    op.host_work = {.work = spec.work, .threads = kWholeThreadPool, .arithmetic = std::move(spec.arithmetic)};
  }
  for (Tensor* output : op.outputs) {
    if (output->name.empty()) output->name = op.name;
  }
  op.annotation = op_annotation(op);
  ops_.push_back(std::move(op));
}

void Graph::differentiate(Tensor* output, std::function<void(Tensor*)> rule) {
  if (taping_ && output->differentiable) tape_.push_back({scope_, output, std::move(rule)});
}

void Graph::add_gradient(Tensor* of, Tensor* part) {
  if (of->differentiable) gradient_parts_[of].push_back(part);
}

Tensor* Graph::gradient(Tensor* of) {
  const auto found = gradient_parts_.find(of);
  if (found == gradient_parts_.end()) return nullptr;
  if (found->second.size() > 1) found->second = {add_n(*this, found->second)};
  return found->second.front();
}

void Graph::backward(Tensor* loss, Tensor* seed) {
  const std::string outer = scope_;
  taping_ = false;  // backward ops are not differentiated again
  add_gradient(loss, seed);
  for (auto rule = tape_.rbegin(); rule != tape_.rend(); ++rule) {
    scope_ = rule->scope + "/gradients";
    if (Tensor* output_gradient = gradient(rule->output)) rule->apply(output_gradient);
  }
  scope_ = outer;
}

std::string Graph::unique_name(const std::string& type) {
  const std::string name = scope_.empty() ? type : scope_ + "/" + type;
  const int used = names_[name]++;
  return used == 0 ? name : fmt::format("{}_{}", name, used);
}

Graph::Scope::Scope(Graph& graph, std::string_view name) : graph_(graph), outer_(graph.scope_) {
  if (!graph_.scope_.empty()) graph_.scope_ += '/';
  graph_.scope_ += name;
}

Graph::Scope::~Scope() { graph_.scope_ = outer_; }

std::string op_annotation(const Op& op) {
  std::string inputs, sizes;
  for (const Tensor* input : op.inputs) {
    inputs += (inputs.empty() ? "" : ", ") + input->name;
    sizes += (sizes.empty() ? "" : ", ") + input->shape.text();
  }
  return fmt::format("{}, name = {}, requested = {}, device = {}, inputs = [{}], sizes = [{}]", op.type, op.name,
                     op.placement.requested, op.placement.device, inputs, sizes);
}

}  // namespace trainer
