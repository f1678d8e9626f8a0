// The published figures that a run on the modelled machine must reproduce.
#include "trainer/scenario.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "recorded_run.h"
#include "trainer/kernel_names.h"

using namespace trainer;
using trainer::test::recorded_run;

namespace {

double step_seconds(const char* scenario) {
  const auto run = recorded_run({"--scenario", scenario, "--arithmetic", "off", "--steps", "4"});
  return static_cast<double>(run->summary.median_step_ns) / 1e9;
}

// Time that two kernels of one device run at once.
std::int64_t overlap_ns(std::vector<test::RecordedKernel> kernels, int device) {
  std::erase_if(kernels, [&](const auto& kernel) { return kernel.device != device; });
  std::sort(kernels.begin(), kernels.end(),
            [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  std::int64_t sum = 0;
  for (std::size_t i = 1; i < kernels.size(); ++i) {
    sum += std::max<std::int64_t>(0, kernels[i - 1].end_ns - kernels[i].start_ns);
  }
  return sum;
}

}  // namespace

TEST_CASE(
    "A-base: 4,200 samples/s on four GPUs, padding and broadcasts take 41 % of GPU time, no two kernels at "
    "once") {
  const auto run = recorded_run({"--scenario", "A-base", "--arithmetic", "off", "--steps", "6"});
  CHECK(run->summary.samples_per_second == Approx(4200).epsilon(0.10));

  for (int device = 0; device < 4; ++device) {
    const auto all_ns = static_cast<double>(run->recorder.kernel_ns(device));
    const auto padding_ns = static_cast<double>(run->recorder.kernel_ns(device, kernel_names::kPad));
    const auto broadcast_ns = static_cast<double>(run->recorder.kernel_ns(device, kernel_names::kTile4));
    CHECK(padding_ns / all_ns == Approx(0.214).margin(0.005));
    CHECK(broadcast_ns / all_ns == Approx(0.200).margin(0.005));
    CHECK(overlap_ns(run->recorder.kernels, device) == 0);

    const auto loop_ns = static_cast<double>(run->summary.median_step_ns) * 6;
    CHECK(all_ns / loop_ns == Approx(0.50).margin(0.05));  // compute utilization inside the loop
  }
}

TEST_CASE("A-base: a tower's step is some 900 small pieces of work for its GPU") {
  const auto run = recorded_run({"--scenario", "A-base", "--arithmetic", "off", "--steps", "1"});
  for (int device = 0; device < 4; ++device) {
    const auto& [kernels, copies] = std::pair(&run->recorder.kernels, &run->recorder.copies);
    const auto launched =
        std::count_if(kernels->begin(), kernels->end(), [=](const auto& it) { return it.device == device; });
    const auto copied = std::count_if(copies->begin(), copies->end(), [=](const auto& it) {
      return (it.to == Memory::device ? it.to_device : it.from_device) == device;
    });
    CHECK(launched + copied == Approx(900).epsilon(0.05));
  }
}

TEST_CASE("A-base on one GPU: 2,100 samples/s") {
  const auto run =
      recorded_run({"--scenario", "A-base", "--gpus", "1", "--arithmetic", "off", "--steps", "4"});
  CHECK(run->summary.samples_per_second == Approx(2100).epsilon(0.10));
}

TEST_CASE("B: 0.868 s on one GPU, 4.885 s where a nested scope puts the towers on the CPU") {
  const double one_gpu = step_seconds("B-1gpu"), on_cpu = step_seconds("B-tower-cpu");
  CHECK(one_gpu == Approx(0.868).epsilon(0.10));
  CHECK(on_cpu == Approx(4.885).epsilon(0.10));
  CHECK(on_cpu / one_gpu == Approx(4.885 / 0.868).epsilon(0.10));
}

TEST_CASE("B-tower: two GPUs are faster than one, by less than two") {
  const double one_gpu = step_seconds("B-1gpu"), tower = step_seconds("B-tower");
  CHECK(tower < one_gpu);
  CHECK(tower > one_gpu / 2);
}

TEST_CASE("B-tower-cpu launches nothing and copies nothing, its ops were asked for on GPUs") {
  const auto run = recorded_run({"--scenario", "B-tower-cpu", "--steps", "2"});
  CHECK(run->recorder.kernels.empty());
  CHECK(run->recorder.copies.empty());
}

TEST_CASE("fused padding launches no padding kernel before a convolution, and is faster") {
  const auto with_ops =
      recorded_run({"--scenario", "A-base", "--gpus", "1", "--arithmetic", "off", "--steps", "3"});
  const auto fused = recorded_run(
      {"--scenario", "A-base", "--gpus", "1", "--padding", "fused", "--arithmetic", "off", "--steps", "3"});
  const auto pads = [](const test::RecordedRun& run) {
    return std::count_if(run.recorder.kernels.begin(), run.recorder.kernels.end(),
                         [](const auto& kernel) { return kernel.name == kernel_names::kPad; });
  };
  CHECK(pads(*with_ops) == 3 * (17 + 13 + 3));  // forward, input gradients of stride 1, shortcuts
  CHECK(pads(*fused) == 3 * 3);
  CHECK(fused->summary.median_step_ns < with_ops->summary.median_step_ns);
}

TEST_CASE("all-reduce exchanges gradients between GPUs and leaves the host out") {
  const auto run =
      recorded_run({"--scenario", "A-base", "--update", "all-reduce", "--arithmetic", "off", "--steps", "2"});
  const auto& copies = run->recorder.copies;
  std::uint64_t peer_bytes = 0;
  for (const auto& copy : copies) {
    if (copy.from == Memory::device && copy.to == Memory::device) peer_bytes += copy.bytes;
  }
  std::uint64_t variable_floats = 0;
  Graph graph("tower", {"/gpu:0", "/gpu:0", true});
  for (const Variable& variable : build_resnet(graph, {}, {}).variables) {
    variable_floats += static_cast<std::uint64_t>(variable.value->elements());
  }
  // Each GPU sends 2 (N - 1) / N of the gradients a step; chunks are rounded up to whole floats.
  CHECK(static_cast<double>(peer_bytes) ==
        Approx(2.0 * 4 * 2 * 3 / 4 * 4 * static_cast<double>(variable_floats)).epsilon(1e-4));
}

TEST_CASE("pageable memory makes the feed slower") {
  const auto seconds = [](const char* pinned) {
    const auto run = recorded_run({"--scenario", "B-tower", "--pinned", pinned, "--steps", "3"});
    return static_cast<double>(run->summary.median_step_ns) / 1e9;
  };
  CHECK(seconds("on") < seconds("off"));
}

TEST_CASE("the same run twice prints the same") {
  const auto twice = [](const std::vector<const char*>& arguments) {
    CHECK(recorded_run(arguments)->output == recorded_run(arguments)->output);
  };
  twice({"--scenario", "A-base", "--arithmetic", "off", "--steps", "3"});
  twice({"--scenario", "A-base", "--gpus", "2", "--batch", "2", "--steps", "2", "--arithmetic", "on"});
}

TEST_CASE("scenarios are found by name") {
  REQUIRE(find_scenario("B-tower"));
  CHECK(find_scenario("B-tower")->configuration.gpus == 2);
  CHECK(find_scenario("b-tower") == nullptr);
  CHECK(find_scenario("") == nullptr);
}
