// A backend that hands every call on: tests override what they look at.
#pragma once

#include "trainer/backend.h"

namespace trainer::test {

class ForwardingBackend : public Backend {
 public:
  explicit ForwardingBackend(Backend& backend) : backend_(backend) {}  // outlives this

  std::string description() const override { return backend_.description(); }
  int device_count() const override { return backend_.device_count(); }
  bool computes_itself() const override { return backend_.computes_itself(); }
  void run_threads(const std::vector<std::pair<std::string, std::function<void()>>>& threads) override { backend_.run_threads(threads); }
  std::int64_t now_ns() override { return backend_.now_ns(); }
  void set_device(int device) override { backend_.set_device(device); }
  Stream create_stream(int device) override { return backend_.create_stream(device); }
  Event create_event(int device) override { return backend_.create_event(device); }
  Counter create_counter() override { return backend_.create_counter(); }
  Buffer allocate(Memory memory, int device, std::size_t size_bytes, bool with_storage) override {
    return backend_.allocate(memory, device, size_bytes, with_storage);
  }
  void release(const Buffer& buffer) override { backend_.release(buffer); }
  void upload(const Buffer& to, const void* from, std::size_t bytes) override { backend_.upload(to, from, bytes); }
  void copy_async(const Buffer& to, const Buffer& from, std::size_t bytes, Stream stream) override {
    backend_.copy_async(to, from, bytes, stream);
  }
  void touch_on_host(const Buffer& managed, std::size_t bytes) override { backend_.touch_on_host(managed, bytes); }
  void touch_on_device(const Buffer& managed, std::size_t bytes, Stream stream) override {
    backend_.touch_on_device(managed, bytes, stream);
  }
  void fill_async(const Buffer& buffer, int value, std::size_t bytes, Stream stream) override {
    backend_.fill_async(buffer, value, bytes, stream);
  }
  void launch(Stream stream, const KernelLaunch& kernel) override { backend_.launch(stream, kernel); }
  bool average_over_gpus(const std::vector<Buffer>& buffers, const std::vector<Stream>& streams) override {
    return backend_.average_over_gpus(buffers, streams);
  }
  void record(Event event, Stream stream) override { backend_.record(event, stream); }
  void wait(Stream stream, Event event) override { backend_.wait(stream, event); }
  void synchronize(Stream stream) override { backend_.synchronize(stream); }
  void synchronize(Event event) override { backend_.synchronize(event); }
  void synchronize_device(int device) override { backend_.synchronize_device(device); }
  void advance(Counter counter) override { backend_.advance(counter); }
  void wait_until_reached(Counter counter, std::int64_t value) override { backend_.wait_until_reached(counter, value); }
  void host_work(const HostWork& work) override { backend_.host_work(work); }
  void pause(std::int64_t duration_ns) override { backend_.pause(duration_ns); }
  void framework_dispatch() override { backend_.framework_dispatch(); }

 protected:
  Backend& backend_;
};

}  // namespace trainer::test
