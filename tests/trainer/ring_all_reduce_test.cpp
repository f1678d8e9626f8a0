#include "trainer/ring_all_reduce.h"

#include <catch2/catch.hpp>

#include "recorded_run.h"

using namespace trainer;

TEST_CASE("every GPU ends with the mean, whatever the number of GPUs and of floats") {
  const int gpus = GENERATE(1, 2, 3, 4);
  const std::size_t floats = GENERATE(1U, 3U, 4U, 5U, 1000U);
  const auto backend = test::box("4x-titan-x");
  std::vector<Buffer> buffers;
  std::vector<Stream> streams;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    buffers.push_back(backend->allocate(Memory::device, gpu, floats * sizeof(float), true));
    streams.push_back(backend->create_stream(gpu));
  }
  RingAllReduce ring(*backend, buffers, streams);
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (int gpu = 0; gpu < gpus; ++gpu) {
      auto* data = static_cast<float*>(buffers[static_cast<std::size_t>(gpu)].data);
      for (std::size_t i = 0; i < floats; ++i)
        data[i] = static_cast<float>((gpu + 1) * 10 + static_cast<int>(i) + repeat);
    }
    ring.run();
    for (const Stream stream : streams) backend->synchronize(stream);
    const double mean_of_gpus = (gpus + 1) / 2.0 * 10;
    for (const Buffer& buffer : buffers) {
      for (std::size_t i = 0; i < floats; ++i) {
        CHECK(static_cast<const float*>(buffer.data)[i] ==
              Approx(mean_of_gpus + static_cast<double>(i) + repeat));
      }
    }
  }
}
