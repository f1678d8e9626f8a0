#include "trainer/cuda/op_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace trainer::cuda {

namespace {

using Values = std::vector<float>;

// What each tensor of a graph holds on the host and, while kernels run, on the device.
class Checker {
 public:
  Checker(Backend& backend, Stream stream) : backend_(backend), stream_(stream) {}
  ~Checker() {
    for (const auto& [tensor, buffer] : on_device_) backend_.release(buffer);
  }
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  Values& values_of(Tensor* tensor) {
    const auto [found, is_new] = on_host_.try_emplace(tensor);
    if (is_new) {
      found->second.resize(static_cast<std::size_t>(tensor->elements()));
      on_device_[tensor] = backend_.allocate(Memory::device, 0, tensor->shape.size_bytes(), true);
      tensor->data = found->second.data();
    }
    return found->second;
  }
  bool is_known(Tensor* tensor) const { return on_host_.contains(tensor); }

  // The kernels first: arithmetic may change its inputs.
  void compare(const Op& op, OpResult& result) {
    upload(op);
    for (const KernelLaunch& kernel : op.kernels) backend_.launch(stream_, kernel);
    backend_.synchronize(stream_);
    for (Tensor* tensor : tensors_of(op)) tensor->data = values_of(tensor).data();
    op.kernels.back().arithmetic();
    for (Tensor* tensor : op.outputs) compare_values(values_of(tensor), downloaded(tensor), result);
  }

 private:
  static std::vector<Tensor*> tensors_of(const Op& op) {
    std::vector<Tensor*> all = op.inputs;
    all.insert(all.end(), op.outputs.begin(), op.outputs.end());
    return all;
  }

  // Results that no kernel writes are not to pass by chance.
  void upload(const Op& op) {
    for (Tensor* tensor : op.outputs) {
      const Values nowhere(static_cast<std::size_t>(tensor->elements()), std::nanf(""));
      backend_.upload(on_device_.at(tensor), nowhere.data(), tensor->shape.size_bytes());
    }
    for (Tensor* tensor : op.inputs) backend_.upload(on_device_.at(tensor), values_of(tensor).data(), tensor->shape.size_bytes());
    for (Tensor* tensor : tensors_of(op)) tensor->data = static_cast<float*>(on_device_.at(tensor).data);
  }

  Values downloaded(Tensor* tensor) {
    Values values(static_cast<std::size_t>(tensor->elements()));
    const Buffer host{Memory::pageable, 0, tensor->shape.size_bytes(), 0, values.data()};
    backend_.copy_async(host, on_device_.at(tensor), host.size_bytes, stream_);
    backend_.synchronize(stream_);
    return values;
  }

  // NaN is the largest of differences.
  static void compare_values(const Values& expected, const Values& computed, OpResult& result) {
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < expected.size() && !std::isnan(error); ++i) {
      const double difference = std::abs(static_cast<double>(computed[i]) - expected[i]);
      largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
      if (!(difference <= error)) error = difference;
    }
    const double tolerance = kAbsoluteTolerance + kRelativeTolerance * largest;
    if (std::isnan(result.error) || error / tolerance <= result.error / result.tolerance) return;
    result.error = error;
    result.tolerance = tolerance;
  }

  Backend& backend_;
  Stream stream_;
  std::map<Tensor*, Values> on_host_;
  std::map<Tensor*, Buffer> on_device_;
};

void fill(Values& values, const Tensor& tensor, const KernelCase& which, std::mt19937_64& random) {
  std::uniform_real_distribution<float> number(which.lowest, which.highest);
  std::uniform_int_distribution<int> label(0, 6);
  for (float& value : values) value = tensor.name == "labels" ? static_cast<float>(label(random)) : number(random);
}

}  // namespace

std::vector<OpResult> check_ops(Backend& backend, Stream stream, const KernelCase& which, std::uint64_t seed) {
  Graph graph("", {.requested = "/gpu:0", .device = "/gpu:0", .on_gpu = true});
  which.build(graph);
  Checker checker(backend, stream);
  std::mt19937_64 random(seed);
  std::vector<OpResult> results;
  for (const Op& op : graph.ops()) {
    for (Tensor* tensor : op.inputs)
      if (!checker.is_known(tensor)) fill(checker.values_of(tensor), *tensor, which, random);
    for (Tensor* tensor : op.outputs) checker.values_of(tensor);
    OpResult result{which.name, op.type, {}, 0, kAbsoluteTolerance};
    for (const KernelLaunch& kernel : op.kernels) result.kernels.emplace_back(kernel.mangled_name);
    checker.compare(op, result);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace trainer::cuda
