// The CUDA backend on the stand-in for the runtime: memory, devices, streams, errors.
#include "trainer/cuda/cuda_backend.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <vector>

#include "tests/support/cudart/stand_in.h"
#include "tests/trainer/cuda/small_run.h"
#include "tests/trainer/cuda/stand_in_machine.h"
#include "trainer/data_parallel.h"
#include "trainer/kernel_names.h"
#include "trainer/launch_shape.h"
#include "trainer/op.h"

using namespace trainer;
using namespace trainer::test;

namespace {

std::vector<std::string> texts() {
  std::vector<std::string> all;
  for (const auto& call : cudart_stand_in::take_calls()) all.push_back(call.text);
  return all;
}

// What the call throws; empty where it throws nothing.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

KernelLaunch negation(float* from, float* to, std::int64_t count) {
  return with_operands(elementwise_launch(kernel_names::kNegate, count, {}), {{Operand(from), Operand(to)}, {count}});
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("devices are found, or why there is none") {
  cudart_stand_in::reset(3);
  CHECK(cuda::find_devices().devices == 3);
  CHECK(cuda::find_devices().answer == "3 CUDA devices answer");
  cudart_stand_in::reset(1);
  CHECK(cuda::find_devices().answer == "1 CUDA device answers");
  cudart_stand_in::reset(0);
  CHECK(cuda::find_devices().devices == 0);
  CHECK(cuda::find_devices().answer == "cudaGetDeviceCount says: no CUDA-capable device is detected");
  cudart_stand_in::reset(1);
  cudart_stand_in::fail("cudaGetDeviceCount", 1, cudaErrorInsufficientDriver);
  CHECK(contains(cuda::find_devices().answer, "there is no NVIDIA driver"));
}

TEST_CASE("the description says what runs") {
  CHECK(contains(stand_in_machine(1)->description(), "1 GPU (Stand-in)"));
  CHECK(contains(stand_in_machine(4)->description(), "4 GPUs (Stand-in)"));
  CHECK_FALSE(contains(stand_in_machine(1)->description(), "modelled"));
  CHECK(stand_in_machine(4)->device_count() == 4);
}

TEST_CASE("copies go where the buffers are") {
  const auto backend = stand_in_machine(2);
  const Buffer gpu0 = backend->allocate(Memory::device, 0, 100, true), gpu1 = backend->allocate(Memory::device, 1, 100, true);
  const Buffer pinned = backend->allocate(Memory::pinned, 0, 100, true), pageable = backend->allocate(Memory::pageable, 0, 100, true);
  const Stream stream = backend->create_stream(0);
  texts();
  backend->copy_async(gpu0, pinned, 100, stream);
  backend->copy_async(pageable, gpu0, 60, stream);
  backend->copy_async(gpu1, gpu1, 20, stream);
  backend->copy_async(gpu1, gpu0, 40, stream);
  backend->fill_async(gpu0, 0, 100, stream);
  CHECK(texts() == Texts{"copy pinned device 0 100", "copy device 0 pageable 60", "copy device 1 device 1 20", "reach 1", "reach 0",
                         "copy device 0 device 1 40", "fill 100"});
  backend->copy_async(gpu0, gpu1, 40, stream);  // both ways were opened
  CHECK(texts() == Texts{"copy device 1 device 0 40"});
  CHECK(cudart_stand_in::take_violations().empty());
}

TEST_CASE("without peer access GPUs are not made to reach each other") {
  const auto backend = stand_in_machine(2, false);
  const Buffer gpu0 = backend->allocate(Memory::device, 0, 100, true), gpu1 = backend->allocate(Memory::device, 1, 100, true);
  const Stream stream = backend->create_stream(0);
  texts();
  backend->copy_async(gpu1, gpu0, 40, stream);
  CHECK(texts() == Texts{"copy device 0 device 1 40"});
}

TEST_CASE("memory is given back, once, whether released or not") {
  std::size_t allocated = 0, released = 0;
  {
    const auto backend = stand_in_machine(2);
    const Buffer first = backend->allocate(Memory::device, 1, 64, false);  // storage or not, a GPU has it
    CHECK(first.data != nullptr);
    backend->allocate(Memory::pinned, 0, 64, true);
    backend->allocate(Memory::device, 0, 0, true);
    backend->release(first);
  }
  for (const std::string& call : texts()) {
    allocated += call.starts_with("allocate") ? 1 : 0;
    released += call == "release" ? 1 : 0;
  }
  CHECK(allocated == 3);
  CHECK(released == 3);
  CHECK(cudart_stand_in::take_violations().empty());
}

TEST_CASE("the stand-in notices what only a wrong program does") {
  const auto backend = stand_in_machine(2);
  const Buffer gpu = backend->allocate(Memory::device, 0, 100, true);
  const Stream stream = backend->create_stream(0);
  Buffer beyond = gpu;
  beyond.data = static_cast<char*>(gpu.data) + 60;
  backend->copy_async(beyond, gpu, 60, stream);
  Buffer mistaken = gpu;
  mistaken.memory = Memory::pinned;
  backend->copy_async(gpu, mistaken, 10, stream);
  CHECK(cudart_stand_in::take_violations() ==
        Texts{"copy beyond an allocation", "copy of another kind than its pointers: device 0 to device 0"});
}

TEST_CASE("a launch goes to its stream's device, whatever the thread worked with before") {
  const auto backend = stand_in_machine(2);
  const Stream first = backend->create_stream(0), second = backend->create_stream(1);
  float* nowhere = nullptr;
  cudart_stand_in::take_calls();
  backend->set_device(0);
  backend->launch(second, negation(nowhere, nowhere, 5));
  backend->launch(first, negation(nowhere, nowhere, 5));
  backend->run_threads({{"other", [&] { backend->launch(second, negation(nowhere, nowhere, 5)); }}});
  std::vector<int> streams;
  for (const auto& call : cudart_stand_in::take_calls()) streams.push_back(call.stream);
  CHECK(streams == std::vector<int>{2, 1, 2});
  CHECK(cudart_stand_in::take_violations().empty());
}

TEST_CASE("memory between kernels is made at first use, grows, and is each thread's own") {
  const auto backend = stand_in_machine(1);
  const Stream stream = backend->create_stream(0);
  const auto launch = [&](std::int64_t floats) {
    const Operand scratch = Operand::scratch(2, floats);
    backend->launch(stream, with_operands(elementwise_launch(kernel_names::kNegate, floats, {}), {{scratch, scratch}, {floats}}));
  };
  const auto made_by = [&](std::int64_t floats) {
    texts();
    launch(floats);
    std::string first = texts().at(0);
    return first == "synchronize stream";
  };
  CHECK(made_by(100));
  CHECK_FALSE(made_by(100));
  CHECK_FALSE(made_by(50));
  CHECK(made_by(101));
  bool made_by_other = false;
  backend->run_threads({{"other", [&] { made_by_other = made_by(50); }}});
  CHECK(made_by_other);
}

TEST_CASE("an error of CUDA is one line that names the call") {
  const auto backend = stand_in_machine(1);
  const Stream stream = backend->create_stream(0);
  cudart_stand_in::fail("cudaStreamSynchronize", 1, cudaErrorIllegalAddress);
  const std::string error = error_of([&] { backend->synchronize(stream); });
  CHECK(contains(error, "cudaStreamSynchronize: an error that was planned (cudaErrorIllegalAddress)"));
  CHECK_FALSE(contains(error, "\n"));
  cudart_stand_in::fail("cudaLaunchKernel", 1, cudaErrorIllegalAddress);
  CHECK(contains(error_of([&] { backend->launch(stream, negation(nullptr, nullptr, 5)); }), "kernel launch: "));
  CHECK(error_of([&] { backend->launch(stream, negation(nullptr, nullptr, 5)); }) == "");
}

TEST_CASE("memory that runs out says how much was asked for and what to change") {
  const auto backend = stand_in_machine(1);
  cudart_stand_in::fail("cudaMalloc", 1, cudaErrorMemoryAllocation);
  CHECK(error_of([&] { backend->allocate(Memory::device, 0, 3 << 20, true); }) ==
        "cudaMalloc of 3.0 MiB for GPU 0: out of memory; choose a smaller --batch");
}

TEST_CASE("tensors up to Eigen's limit, and not beyond") {
  const auto backend = stand_in_machine(1);
  const Stream stream = backend->create_stream(0);
  CHECK(error_of([&] { backend->launch(stream, negation(nullptr, nullptr, 0x7fffffff)); }) == "");
  CHECK(contains(error_of([&] { backend->launch(stream, negation(nullptr, nullptr, 0x80000000LL)); }), "choose a smaller --batch"));
  CHECK(cudart_stand_in::take_violations().empty());
}

TEST_CASE("a tensor's size counts too, where its extents are small") {
  const auto backend = stand_in_machine(1);
  const Stream stream = backend->create_stream(0);
  const Tensor large{.shape = {1 << 16, 1 << 15}};
  const KernelLaunch launch = with_operands(elementwise_launch(kernel_names::kNegate, 1, {}), {{&large, &large}, {1}});
  CHECK(contains(error_of([&] { backend->launch(stream, launch); }), "a tensor of 2147483648 values"));
}

TEST_CASE("a kernel that nothing is known of, or without operands, is a mistake that does not pass") {
  const auto backend = stand_in_machine(1);
  const Stream stream = backend->create_stream(0);
  CHECK(contains(error_of([&] { backend->launch(stream, elementwise_launch(kernel_names::kNegate, 5, {})); }), "no operands"));
  CHECK(contains(error_of([&] { backend->launch(stream, with_operands(elementwise_launch("unheard_of", 5, {}), {{}, {5}})); }),
                 "no GPU kernel is known for unheard_of"));
}

TEST_CASE("host threads wait for counters") {
  const auto backend = stand_in_machine(1);
  const Counter counter = backend->create_counter();
  std::atomic<int> advanced{0}, seen{-1};
  backend->run_threads({{"waits",
                         [&] {
                           backend->wait_until_reached(counter, 3);
                           seen = advanced.load();
                         }},
                        {"advances", [&] {
                           for (int i = 0; i < 3; ++i) {
                             ++advanced;
                             backend->advance(counter);
                           }
                         }}});
  CHECK(seen == 3);
}

TEST_CASE("a host thread that fails ends those that wait for it, and its own error is the one that is told") {
  const auto backend = stand_in_machine(1);
  const Counter never = backend->create_counter();
  const auto wait = [&] { backend->wait_until_reached(never, 1); };
  const std::string error = error_of([&] {
    backend->run_threads({{"outer waits", wait}, {"outer", [&] {
                             backend->run_threads({{"waits", wait}, {"fails", [] { throw std::runtime_error("the reason"); }}});
                           }}});
  });
  CHECK(error == "the reason");
}

TEST_CASE("a training run that CUDA fails ends with CUDA's error, also where threads wait for each other") {
  for (const char* update : {"host", "host-overlapped", "all-reduce"}) {
    CAPTURE(update);
    const auto backend = stand_in_machine(2);
    const Configuration run = small_run({"--scenario", "A-base", "--gpus", "2", "--update", update});
    DataParallel training(*backend, run);
    REQUIRE(training.initialize());
    training.run_step(0);
    cudart_stand_in::fail("cudaLaunchKernel", 40, cudaErrorIllegalAddress);
    CHECK(contains(error_of([&] { training.run_step(1); }), "cudaErrorIllegalAddress"));
  }
}

TEST_CASE("four towers on one GPU have their work on it") {
  const auto backend = stand_in_machine(1);
  const Configuration run = small_run({"--scenario", "A-base", "--gpus", "4"});
  DataParallel training(*backend, run);
  REQUIRE(training.initialize());
  cudart_stand_in::take_calls();
  training.run_step(0);
  std::set<int> streams, devices;
  for (const auto& call : cudart_stand_in::take_calls()) {
    if (!call.text.starts_with("launch")) continue;
    streams.insert(call.stream);
    devices.insert(call.device);
  }
  CHECK(streams == std::set<int>{1, 2, 3, 4});
  CHECK(devices == std::set<int>{0});
  CHECK(cudart_stand_in::take_violations().empty());
}
