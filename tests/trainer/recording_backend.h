// A machine without time that writes down the calls it gets, and does the arithmetic at once.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "trainer/backend.h"

namespace trainer::test {

class RecordingBackend final : public Backend {
 public:
  std::size_t storage_limit_bytes = std::size_t{1} << 40;  // of each allocation; beyond it there is none
  std::vector<std::string> calls;  // "dispatch", "launch 0", "copy pageable device", "synchronize 0" ...

  std::string description() const override { return "recording"; }
  int device_count() const override { return 4; }
  bool computes_itself() const override { return false; }
  void run_threads(const std::vector<std::pair<std::string, std::function<void()>>>& threads) override {
    for (const auto& [name, body] : threads) {
      calls.push_back("thread " + name);
      body();
    }
    calls.push_back("join");
  }
  std::int64_t now_ns() override { return 0; }
  void set_device(int device) override { calls.push_back("device " + std::to_string(device)); }
  Stream create_stream(int device) override { return {device, ++streams_}; }
  Event create_event(int) override { return {++events_}; }
  Counter create_counter() override {
    counters_.push_back(0);
    return {static_cast<int>(counters_.size()) - 1};
  }
  void advance(Counter counter) override { ++counters_[static_cast<std::size_t>(counter.id)]; }
  // Threads run one after the other here, so what is waited for must be there already.
  void wait_until_reached(Counter counter, std::int64_t value) override {
    if (counters_[static_cast<std::size_t>(counter.id)] < value) calls.push_back("deadlock");
  }
  void release(const Buffer&) override { calls.push_back("release"); }
  void pause(std::int64_t duration_ns) override { calls.push_back("pause " + std::to_string(duration_ns)); }
  Buffer allocate(Memory memory, int device, std::size_t size_bytes, bool with_storage) override {
    Buffer buffer{memory, device, size_bytes, address_ += 1 << 20, nullptr};
    if (with_storage && size_bytes <= storage_limit_bytes) {
      storage_.emplace_back(size_bytes + 1);
      buffer.data = storage_.back().data();
    }
    return buffer;
  }
  void upload(const Buffer& to, const void* from, std::size_t bytes) override { std::memcpy(to.data, from, bytes); }
  void copy_async(const Buffer& to, const Buffer& from, std::size_t bytes, Stream) override {
    calls.push_back(std::string("copy ") + name_of(from.memory) + " " + name_of(to.memory));
    if (to.data && from.data) std::memcpy(to.data, from.data, bytes);
  }
  void fill_async(const Buffer&, int, std::size_t, Stream stream) override {
    calls.push_back("fill " + std::to_string(stream.device));
  }
  void launch(Stream stream, const KernelLaunch& kernel) override {
    calls.push_back("launch " + std::to_string(stream.device));
    if (kernel.arithmetic) kernel.arithmetic();
  }
  void record(Event, Stream stream) override { calls.push_back("record " + std::to_string(stream.device)); }
  void wait(Stream stream, Event) override { calls.push_back("wait " + std::to_string(stream.device)); }
  void synchronize(Stream stream) override {
    calls.push_back("synchronize " + std::to_string(stream.device));
  }
  void synchronize(Event) override { calls.push_back("synchronize event"); }
  void synchronize_device(int device) override {
    calls.push_back("synchronize device " + std::to_string(device));
  }
  void host_work(const HostWork& work) override {
    calls.push_back("host work");
    if (work.arithmetic) work.arithmetic();
  }
  void framework_dispatch() override { calls.push_back("dispatch"); }

 private:
  static const char* name_of(Memory memory) {
    if (memory == Memory::device) return "device";
    return memory == Memory::pinned ? "pinned" : "pageable";
  }
  std::vector<std::int64_t> counters_;
  int streams_ = 0, events_ = 0;
  std::uint64_t address_ = 0;
  std::vector<std::vector<char>> storage_;
};

}  // namespace trainer::test
