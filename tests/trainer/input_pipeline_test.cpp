// Batches that threads read beside the training loop.
#include "trainer/input_pipeline.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "recorded_run.h"

using namespace trainer;
using trainer::test::recorded_run;

namespace {

std::unique_ptr<test::RecordedRun> run_with(std::vector<const char*> more) {
  std::vector<const char*> arguments = {"--model", "resnet", "--batch", "16", "--steps", "6", "--arithmetic", "off"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return recorded_run(arguments);
}

}  // namespace

TEST_CASE("every tower gets a batch and its labels in every step") {
  const auto run = run_with({"--data", "synthetic-files", "--gpus", "3", "--prefetch", "2"});
  const auto feeds = [&](std::uint64_t bytes, int gpu) {
    return std::count_if(run->recorder.copies.begin(), run->recorder.copies.end(), [=](const auto& copy) {
      return copy.from != Memory::device && copy.to == Memory::device && copy.to_device == gpu && copy.bytes == bytes;
    });
  };
  for (int gpu = 0; gpu < 3; ++gpu) CHECK(feeds(16 * 3072 * 4, gpu) == 6);
}

TEST_CASE("reading takes part in the host's time: real data is slower than dummy data") {
  CHECK(run_with({"--data", "synthetic-files"})->summary.median_step_ns > run_with({"--data", "dummy"})->summary.median_step_ns);
}

TEST_CASE("any number of readers and batches ahead ends, with every kind of update") {
  const auto ends = [](const char* readers, const char* prefetch, const char* update) {
    const auto run = run_with({"--data", "synthetic-files", "--gpus", "2", "--readers", readers, "--prefetch", prefetch, "--update", update});
    return run->summary.step_ns.size() == 6;
  };
  for (const char* readers : {"1", "7"})
    for (const char* prefetch : {"0", "1", "64"}) CHECK(ends(readers, prefetch, "host"));
  for (const char* update : {"host-overlapped", "gpu0", "all-reduce"}) CHECK(ends("7", "1", update));
}

TEST_CASE("a batch that is read when its step asks for it is waited for; one that is read ahead is not") {
  const auto step_ns = [](const char* prefetch, const char* readers) {
    return run_with({"--data", "synthetic-files", "--gpus", "2", "--prefetch", prefetch, "--readers", readers})
        ->summary.median_step_ns;
  };
  const auto dummy_ns = run_with({"--data", "dummy", "--gpus", "2"})->summary.median_step_ns;
  const auto one_ns = step_ns("0", "1") - dummy_ns, two_ns = step_ns("0", "2") - dummy_ns;
  CHECK(static_cast<double>(one_ns) / static_cast<double>(two_ns) == Approx(2).epsilon(0.1));  // a batch after the other
  CHECK(step_ns("4", "2") - dummy_ns < two_ns / 5);
}
