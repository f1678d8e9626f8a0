#include "trainer/input_pipeline.h"

#include <fmt/format.h>

#include <vector>

#include "trainer/layout.h"

namespace trainer {

namespace {

// What the well-known CIFAR-10 input code does to each value of an image, a pass at a time: decode, cast, crop, flip,
// brightness, contrast (mean, subtract, scale, add), standardize (mean, variance, subtract, divide), into the batch,
// into the framework's tensor.
constexpr double kPasses = 15;
// A pass is scalar code: index, load, operate, clamp, store, each in the time of two 8-lane multiply-adds (32 flops).
constexpr double kFlopsPerPass = 5 * 32, kBytesPerPass = 8;

}  // namespace

InputPipeline::InputPipeline(Backend& backend, const Configuration& configuration, const Cifar10* data)
    : backend_(backend), configuration_(configuration), data_(data), text_(Concern::data, "read batch"), wait_text_(Concern::data, "wait for batches") {}

bool InputPipeline::allocate() {
  const ImageSize size{configuration_.batch_per_gpu, kCifarSide, kCifarSide, kCifarChannels};
  const Memory memory = configuration_.pinned_host_memory ? Memory::pinned : Memory::pageable;
  bool enough = true;
  const auto place = [&](Tensor& tensor) {
    tensor.buffer = backend_.allocate(memory, 0, tensor.shape.size_bytes(), configuration_.arithmetic);
    tensor.data = static_cast<float*>(tensor.buffer.data);
    enough = enough && (tensor.data || !configuration_.arithmetic);
  };
  for (int i = 0; i < configuration_.gpus + configuration_.prefetch; ++i) {
    Slot& slot = slots_.emplace_back();
    slot.images.shape = shape_of(size, configuration_.style.layout);
    slot.labels.shape = {configuration_.batch_per_gpu};
    place(slot.images);
    place(slot.labels);
    filled_.push_back(backend_.create_counter());
    emptied_.push_back(backend_.create_counter());
  }
  return enough;
}

std::vector<std::pair<std::string, std::function<void()>>> InputPipeline::readers() {
  std::vector<std::pair<std::string, std::function<void()>>> threads;
  for (int reader = 0; reader < configuration_.readers; ++reader)
    threads.emplace_back(fmt::format("reader {}", reader), [this, reader] { read_batches(reader); });
  return threads;
}

void InputPipeline::read_batches(int reader) {
  name_calling_thread(fmt::format("reader {}", reader));
  const std::int64_t batches = static_cast<std::int64_t>(configuration_.steps) * configuration_.gpus;
  for (std::int64_t batch = reader; batch < batches; batch += configuration_.readers) {
    const std::size_t index = slot_of(batch);
    backend_.wait_until_reached(emptied_[index], round_of(batch));
    read_batch(batch, slots_[index]);
    backend_.advance(filled_[index]);
  }
}

void InputPipeline::read_batch(std::int64_t batch, Slot& slot) {
  const Range range(text_);
  const double values = static_cast<double>(kCifarPixelBytes * configuration_.batch_per_gpu);
  HostWork work{.work = {.flops = values * kPasses * kFlopsPerPass, .bytes = values * kPasses * kBytesPerPass},
                .threads = 1,
                .arithmetic = {}};
  if (configuration_.arithmetic && data_) {
    work.arithmetic = [&] {
      for (std::int64_t place = 0; place < configuration_.batch_per_gpu; ++place)
        store_example(batch * configuration_.batch_per_gpu + place, place, slot);
    };
  }
  backend_.framework_dispatch();
  backend_.host_work(work);
}

void InputPipeline::store_example(std::int64_t example, std::int64_t place, Slot& slot) const {
  const std::int64_t index = example % data_->size();
  slot.labels.data[place] = static_cast<float>(data_->label(index));
  float* image = slot.images.data + place * kCifarPixelBytes;
  data_->copy_pixels(index, image);
  if (configuration_.style.layout == Layout::nhwc) return;
  const std::vector<float> nhwc(image, image + kCifarPixelBytes);
  change_layout(nhwc.data(), Layout::nhwc, {1, kCifarSide, kCifarSide, kCifarChannels}, image);
}

const InputPipeline::Slot& InputPipeline::wait_for_batch(int tower, std::int64_t step) {
  const std::int64_t batch = step * configuration_.gpus + tower;
  const std::size_t index = slot_of(batch);
  backend_.wait_until_reached(filled_[index], round_of(batch) + 1);
  return slots_[index];
}

void InputPipeline::begin_step(std::int64_t step) {
  if (configuration_.prefetch > 0) return;
  if (step > 0) give_back(step - 1);
  const Range range(wait_text_);
  for (int tower = 0; tower < configuration_.gpus; ++tower) wait_for_batch(tower, step);
}

void InputPipeline::end_step(std::int64_t step) {
  if (configuration_.prefetch > 0) give_back(step);
}

void InputPipeline::give_back(std::int64_t step) {
  for (int tower = 0; tower < configuration_.gpus; ++tower)
    backend_.advance(emptied_[slot_of(step * configuration_.gpus + tower)]);
}

}  // namespace trainer
