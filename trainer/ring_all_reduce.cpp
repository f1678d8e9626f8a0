#include "trainer/ring_all_reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trainer/kernel_names.h"
#include "trainer/launch_shape.h"

namespace trainer {

namespace {

Buffer floats_of(const Buffer& buffer, std::int64_t first, std::int64_t count) {
  Buffer part = buffer;
  const auto offset_bytes = static_cast<std::size_t>(first) * sizeof(float);
  part.address += offset_bytes;
  part.size_bytes = static_cast<std::size_t>(count) * sizeof(float);
  if (part.data) part.data = static_cast<std::byte*>(part.data) + offset_bytes;
  return part;
}

}  // namespace

RingAllReduce::RingAllReduce(Backend& backend, std::vector<Buffer> buffers, std::vector<Stream> streams)
    : backend_(backend),
      buffers_(std::move(buffers)),
      streams_(std::move(streams)),
      floats_(static_cast<std::int64_t>(buffers_.front().size_bytes / sizeof(float))),
      text_(Concern::op,
            fmt::format("AllReduce, name = gradients/AllReduce, requested = /gpu:*, device = /gpu:*, "
                        "sizes = [[{}]]",
                        floats_)) {
  if (size() < 2) return;
  const bool with_storage = buffers_.front().data != nullptr;
  for (int gpu = 0; gpu < size(); ++gpu) {
    const std::size_t chunk_bytes = static_cast<std::size_t>(chunk(0).count) * sizeof(float);
    received_.push_back(backend_.allocate(Memory::device, streams_[static_cast<std::size_t>(gpu)].device,
                                          chunk_bytes * static_cast<std::size_t>(size() - 1), with_storage));
    sent_.push_back(backend_.create_event(streams_[static_cast<std::size_t>(gpu)].device));
  }
}

bool RingAllReduce::has_storage() const {
  const auto stored = [](const Buffer& buffer) { return buffer.data != nullptr; };
  return std::all_of(buffers_.begin(), buffers_.end(), stored) &&
         std::all_of(received_.begin(), received_.end(), stored);
}

RingAllReduce::Chunk RingAllReduce::chunk(int index) const {
  const std::int64_t largest = (floats_ + size() - 1) / size();
  const std::int64_t first = std::min<std::int64_t>(((index % size()) + size()) % size() * largest, floats_);
  return {first, std::min(largest, floats_ - first)};
}

void RingAllReduce::run() {
  if (size() < 2) return;
  const Range range(text_);
  backend_.framework_dispatch();
  if (backend_.average_over_gpus(buffers_, streams_)) return;
  for (int round = 0; round < size() - 1; ++round) reduce_round(round);
  for (int round = 0; round < size() - 1; ++round) gather_round(round);
  divide();
}

// GPU i passes on its partial sum of chunk i - round; the receiver adds its own.
void RingAllReduce::reduce_round(int round) {
  const std::int64_t slot = round * chunk(0).count;
  for (int gpu = 0; gpu < size(); ++gpu) {
    const Chunk part = chunk(gpu - round);
    send(gpu, floats_of(received_[static_cast<std::size_t>((gpu + 1) % size())], slot, part.count), part);
  }
  for (int gpu = 0; gpu < size(); ++gpu) {
    const int from = (gpu + size() - 1) % size();
    const Chunk part = chunk(from - round);
    backend_.wait(streams_[static_cast<std::size_t>(gpu)], sent_[static_cast<std::size_t>(from)]);
    add_received(gpu, floats_of(received_[static_cast<std::size_t>(gpu)], slot, part.count), part);
  }
}

// GPU i passes on chunk i + 1 - round, complete: in round 0 its own, later what it received in the round
// before.
void RingAllReduce::gather_round(int round) {
  for (int gpu = 0; gpu < size(); ++gpu) {
    const Chunk part = chunk(gpu + 1 - round);
    send(gpu, floats_of(buffers_[static_cast<std::size_t>((gpu + 1) % size())], part.first, part.count),
         part);
  }
  for (int gpu = 0; gpu < size(); ++gpu) {
    const int from = (gpu + size() - 1) % size();
    backend_.wait(streams_[static_cast<std::size_t>(gpu)], sent_[static_cast<std::size_t>(from)]);
  }
}

void RingAllReduce::send(int from, const Buffer& target, const Chunk& part) {
  const auto gpu = static_cast<std::size_t>(from);
  if (part.count > 0) {
    const Buffer source = floats_of(buffers_[gpu], part.first, part.count);
    backend_.copy_async(target, source, source.size_bytes, streams_[gpu]);
  }
  backend_.record(sent_[gpu], streams_[gpu]);
}

void RingAllReduce::add_received(int gpu, const Buffer& received, const Chunk& part) {
  if (part.count == 0) return;
  const Buffer own = floats_of(buffers_[static_cast<std::size_t>(gpu)], part.first, part.count);
  KernelLaunch kernel = elementwise_launch(kernel_names::kAdd, part.count, streaming_work(part.count, 3));
  if (own.data) {
    kernel = with_operands(std::move(kernel), {{Operand(own.data), Operand(received.data), Operand(own.data)}, {part.count}});
    kernel.arithmetic = [to = static_cast<float*>(own.data), from = static_cast<const float*>(received.data),
                         count = part.count] {
      for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
    };
  }
  backend_.launch(streams_[static_cast<std::size_t>(gpu)], kernel);
}

void RingAllReduce::divide() {
  for (std::size_t gpu = 0; gpu < buffers_.size(); ++gpu) {
    KernelLaunch kernel =
        elementwise_launch(kernel_names::kMultiplyScalar, floats_, streaming_work(floats_, 2));
    if (buffers_[gpu].data) {
      const Operand whole(buffers_[gpu].data);
      kernel = with_operands(std::move(kernel), {{whole, whole}, {floats_}, {1.0F / static_cast<float>(size())}});
      kernel.arithmetic = [data = static_cast<float*>(buffers_[gpu].data), count = floats_,
                           scale = 1.0F / static_cast<float>(size())] {
        for (std::int64_t i = 0; i < count; ++i) data[i] *= scale;
      };
    }
    backend_.launch(streams_[gpu], kernel);
  }
}

}  // namespace trainer
