#include "trainer/update.h"

#include <string>

#include "trainer/memory_plan.h"

namespace trainer {

namespace {

constexpr float kClipNorm = 5.0F;
constexpr AdamConstants kAdam{.learning_rate = 1e-4F, .beta1 = 0.5F, .beta2 = 0.9F, .epsilon = 1e-8F};
constexpr float kMomentumLearningRate = 0.05F, kMomentum = 0.9F;

}  // namespace

Update::Update(const Configuration& configuration, const Placement& placement,
               const std::vector<Tensor*>& variables, const std::vector<std::vector<Tensor*>>& gradients)
    : graph_(std::make_unique<Graph>("update", placement)) {
  std::vector<Tensor*> averaged;
  for (const std::vector<Tensor*>& towers : gradients) averaged.push_back(average(*graph_, towers));
  if (configuration.model == ModelKind::mlp) {
    add_adam(variables, clip_by_global_norm(*graph_, averaged, kClipNorm));
  } else {
    add_momentum(variables, averaged);
  }
}

void Update::add_adam(const std::vector<Tensor*>& variables, const std::vector<Tensor*>& gradients) {
  Tensor* step = slot({});
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Shape& shape = variables[i]->shape;
    Tensor* first_moment = slot(shape);
    apply_adam(*graph_, variables[i], first_moment, slot(shape), gradients[i], kAdam, step);
  }
  advance_step(*graph_, step);
}

void Update::add_momentum(const std::vector<Tensor*>& variables, const std::vector<Tensor*>& gradients) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    apply_momentum(*graph_, variables[i], slot(variables[i]->shape), gradients[i], kMomentumLearningRate,
                   kMomentum);
  }
}

Tensor* Update::slot(const Shape& shape) {
  slots_.push_back(graph_->persistent(shape));
  slots_.back()->name = "update/slot_" + std::to_string(slots_.size());
  return slots_.back();
}

bool Update::allocate(Backend& backend, Memory memory, int device, bool with_storage) {
  bool enough = true;
  for (Tensor* tensor : slots_) {
    tensor->buffer = backend.allocate(memory, device, tensor->shape.size_bytes(), with_storage);
    tensor->data = static_cast<float*>(tensor->buffer.data);
    if (tensor->data) {
      const std::vector<float> zeros(static_cast<std::size_t>(tensor->elements()), 0.0F);
      backend.upload(tensor->buffer, zeros.data(), tensor->shape.size_bytes());
    } else {
      enough &= !with_storage;
    }
  }
  const MemoryPlan plan = plan_memory(graph_->ops());
  const Buffer block = backend.allocate(memory, device, plan.size_bytes, with_storage);
  enough &= !with_storage || block.data;
  for (const auto& [tensor, offset_bytes] : plan.offset_bytes) {
    if (block.data) tensor->data = static_cast<float*>(block.data) + offset_bytes / sizeof(float);
  }
  ops_ = OpSequence(graph_->ops(), with_storage);
  return enough;
}

}  // namespace trainer
