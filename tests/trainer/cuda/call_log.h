// What is asked of GPUs, per stream and in order, from two sides: of a Backend by the trainer, and of the CUDA runtime by the CUDA
// backend. Streams and events are numbered as they are created, so both sides' texts can be compared.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/trainer/cuda/forwarding_backend.h"

namespace trainer::test {

// Texts as in tests/support/cudart/stand_in.h; a launch is "launch NAME" or "launch NAME variant". By stream, 0 is a default stream;
// what has no stream is under -1 - device, in no order between threads.
using Calls = std::map<int, std::vector<std::string>>;

class CallLog final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;

  Calls take_calls() { return std::exchange(calls_, {}); }

  Stream create_stream(int device) override;
  Event create_event(int device) override;
  Buffer allocate(Memory memory, int device, std::size_t size_bytes, bool with_storage) override;
  void release(const Buffer& buffer) override;
  void copy_async(const Buffer& to, const Buffer& from, std::size_t bytes, Stream stream) override;
  void fill_async(const Buffer& buffer, int value, std::size_t bytes, Stream stream) override;
  void launch(Stream stream, const KernelLaunch& kernel) override;
  void record(Event event, Stream stream) override;
  void wait(Stream stream, Event event) override;
  void synchronize(Stream stream) override;
  void synchronize(Event event) override;
  void synchronize_device(int device) override;

 private:
  std::vector<std::string>& of(Stream stream) { return calls_[stream.id == 0 ? 0 : streams_.at({stream.device, stream.id})]; }
  std::vector<std::string>& of_device(int device) { return calls_[-1 - device]; }
  std::string number(Event event) const { return std::to_string(events_.at(event.id)); }

  std::map<std::pair<int, int>, int> streams_;
  std::map<int, int> events_;
  Calls calls_;
};

// What the stand-in for the runtime has seen since it was last asked, without what CUDA programs do beside: devices that are made
// to reach each other.
Calls runtime_calls();

// The first difference between what the trainer asked for and what reached the runtime; empty where there is none. A launch may come
// with one of Eigen's ReductionInitKernel before it.
std::string difference(const Calls& asked, const Calls& reached);

}  // namespace trainer::test
