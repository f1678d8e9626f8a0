// Each fault leaves in the trace what it is there for.
#include "trainer/faults.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "recorded_run.h"
#include "recording_backend.h"
#include "trainer/data_parallel.h"
#include "trainer/faulty_backend.h"
#include "trainer/kernel_names.h"

using namespace trainer;
using trainer::test::recorded_run;

namespace {

std::string error_of(const std::string& text) {
  Faults faults;
  const auto added = add_fault(faults, text);
  CHECK(faults.given.empty() == !added.has_value());
  return added ? "" : added.error();
}

std::unique_ptr<test::RecordedRun> small_run(std::vector<const char*> more) {
  std::vector<const char*> arguments = {"--scenario", "A-nhwc", "--steps", "3", "--arithmetic", "off"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  if (std::none_of(more.begin(), more.end(), [](const char* it) { return std::string_view(it) == "--batch"; }))
    arguments.insert(arguments.end(), {"--batch", "8"});
  return recorded_run(arguments);
}

// Of copies from the host to that GPU: bytes per nanosecond.
double feed_gbps(const test::RecordedRun& run, int gpu) {
  double bytes = 0, ns = 0;
  for (const auto& copy : run.recorder.copies) {
    if (copy.from == Memory::device || copy.to_device != gpu || copy.bytes < 1'000'000) continue;
    bytes += static_cast<double>(copy.bytes);
    ns += static_cast<double>(copy.end_ns - copy.start_ns);
  }
  return bytes / ns;
}

std::int64_t first_kernel_ns(const test::RecordedRun& run, int device, std::int64_t after_ns) {
  std::int64_t first = INT64_MAX;
  for (const auto& kernel : run.recorder.kernels) {
    if (kernel.device == device && kernel.start_ns >= after_ns) first = std::min(first, kernel.start_ns);
  }
  return first;
}

std::int64_t longest_gap_ns(const test::RecordedRun& run, int device) {
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  for (const auto& kernel : run.recorder.kernels)
    if (kernel.device == device) spans.emplace_back(kernel.start_ns, kernel.end_ns);
  std::sort(spans.begin(), spans.end());
  std::int64_t longest = 0;
  for (std::size_t i = 1; i < spans.size(); ++i) longest = std::max(longest, spans[i].first - spans[i - 1].second);
  return longest;
}

// Kernels that run while a copy between GPUs runs.
std::ptrdiff_t kernels_beside_peer_copies(const test::RecordedRun& run) {
  const auto& copies = run.recorder.copies;
  return std::count_if(run.recorder.kernels.begin(), run.recorder.kernels.end(), [&](const auto& kernel) {
    return std::any_of(copies.begin(), copies.end(), [&](const auto& copy) {
      return copy.from_device == kernel.device && copy.to_device != copy.from_device && copy.from == Memory::device &&
             copy.to == Memory::device && copy.start_ns < kernel.end_ns && kernel.start_ns < copy.end_ns;
    });
  });
}

}  // namespace

TEST_CASE("arguments of faults just inside and just outside their ranges") {
  CHECK(error_of("straggler").empty());
  CHECK(error_of("straggler:0:0").empty());
  CHECK(error_of("straggler:63:60000").empty());
  CHECK(error_of("alloc-in-loop:1").empty());
  CHECK(error_of("tiny-copies:256").empty());
  for (const char* wrong : {"straggler:64", "straggler:-1", "straggler:1.5", "straggler:1:60001", "straggler:1:2:3", "straggler:",
                            "straggler::5", "straggler:x", "straggler:1:nan", "alloc-in-loop:0", "tiny-copies:255",
                            "sync-every-kernel:1", "unused-gpu:"}) {
    CAPTURE(wrong);
    CHECK(error_of(wrong).find("wrong arguments") != std::string::npos);
  }
  for (const char* unknown : {"", ":", "Straggler", "slow"}) CHECK(error_of(unknown).find("no such fault") != std::string::npos);
}

TEST_CASE("faults of the machine are the modelled machine's only") {
  for (const FaultKind& kind : fault_kinds()) {
    Faults faults;
    REQUIRE(add_fault(faults, "unused-gpu"));
    REQUIRE(add_fault(faults, std::string(kind.name)));
    const bool of_the_machine = kind.name == "slow-link" || kind.name == "far-socket" || kind.name == "slow-clock" ||
                                kind.name == "few-thread-reduction";
    CHECK(first_modelled_only(faults) == (of_the_machine ? kind.name : ""));
  }
}

TEST_CASE("every fault has a name of its own, and says what it does and what a report must say") {
  std::set<std::string_view> names;
  for (const FaultKind& kind : fault_kinds()) {
    CHECK(names.insert(kind.name).second);
    CHECK_FALSE(kind.does.empty());
    CHECK_FALSE(kind.report_says.empty());
    Faults faults;
    CHECK(add_fault(faults, std::string(kind.name)));
    CHECK(fault_list().find(std::string(kind.name)) != std::string::npos);
  }
  CHECK(names.size() == 18);
}

TEST_CASE("straggler: one GPU stops for the time that its host thread works, in the middle of the step") {
  const auto run = small_run({"--gpus", "2", "--fault", "straggler:1:40"}), without = small_run({"--gpus", "2"});
  CHECK(run->summary.median_step_ns > without->summary.median_step_ns + 20'000'000);
  CHECK(longest_gap_ns(*run, 1) > 39'500'000);
  CHECK(first_kernel_ns(*run, 1, 0) - first_kernel_ns(*run, 0, 0) < 10'000'000);  // the forward pass is not late
}

TEST_CASE("slow-link: copies to that GPU take four times as long, to the others not") {
  const std::vector<const char*> mlp = {"--scenario", "B-tower", "--pinned", "on", "--steps", "3"};
  std::vector<const char*> slow = mlp;
  slow.insert(slow.end(), {"--fault", "slow-link:1"});
  const auto run = recorded_run(slow);
  CHECK(feed_gbps(*run, 0) / feed_gbps(*run, 1) == Approx(2).epsilon(0.05));  // x8 and x4
}

TEST_CASE("far-socket: copies between that GPU and the host run at half the rate") {
  const auto run = recorded_run({"--scenario", "B-tower", "--pinned", "on", "--steps", "3", "--fault", "far-socket:1"});
  CHECK(feed_gbps(*run, 0) / feed_gbps(*run, 1) == Approx(2).epsilon(0.05));
}

TEST_CASE("slow-clock: kernels bound by arithmetic take longer on that GPU by the clock's ratio") {
  const auto run = recorded_run({"--scenario", "B-tower", "--steps", "3", "--fault", "slow-clock:1:50"});
  const auto matmul_ns = [&](int gpu) { return static_cast<double>(run->recorder.kernel_ns(gpu, kernel_names::kSgemmNN)); };
  CHECK(matmul_ns(1) / matmul_ns(0) == Approx(2).epsilon(0.02));
}

TEST_CASE("pageable-input: the batch comes from pageable memory in every step") {
  const auto run = small_run({"--gpus", "2", "--fault", "pageable-input"});
  const auto& copies = run->recorder.copies;
  CHECK(std::none_of(copies.begin(), copies.end(), [](const auto& it) { return it.from == Memory::pinned || it.to == Memory::pinned; }));
  const auto feeds = std::count_if(copies.begin(), copies.end(), [](const auto& it) { return it.bytes == 8 * 32 * 32 * 3 * 4; });
  CHECK(feeds == 2 * 3);
}

TEST_CASE("serialized-towers: no two GPUs work at once") {
  const auto run = small_run({"--gpus", "3", "--fault", "serialized-towers"});
  auto kernels = run->recorder.kernels;
  std::sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  for (std::size_t i = 1; i < kernels.size(); ++i) CHECK(kernels[i].start_ns >= kernels[i - 1].end_ns);
  CHECK(run->summary.median_step_ns > small_run({"--gpus", "3"})->summary.median_step_ns);
}

TEST_CASE("periodic-pause: that step alone is longer, by the pause") {
  const auto run = small_run({"--gpus", "1", "--fault", "periodic-pause:3:40"});
  const auto& steps = run->summary.step_ns;
  REQUIRE(steps.size() == 3);
  CHECK(steps[2] - steps[1] == Approx(40e6).epsilon(0.02));
}

TEST_CASE("unused-gpu: one GPU less gets work") {
  const auto run = small_run({"--gpus", "3", "--fault", "unused-gpu"});
  std::set<int> devices;
  for (const auto& kernel : run->recorder.kernels) devices.insert(kernel.device);
  CHECK(devices == std::set<int>{0, 1});
}

TEST_CASE("unified-memory: the batch moves by pages in every step, and no copy feeds it") {
  const auto run = recorded_run({"--scenario", "B-tower", "--steps", "3", "--fault", "unified-memory"});
  std::map<bool, std::uint64_t> moved_bytes;
  for (const auto& migration : run->recorder.migrations) moved_bytes[migration.to_device] += migration.bytes;
  const std::uint64_t batches_bytes = 64ULL * 1000 * 1000 * 4;
  CHECK(moved_bytes[true] == 3 * batches_bytes);
  CHECK(moved_bytes[false] == 2 * batches_bytes);
  for (const auto& copy : run->recorder.copies) CHECK(copy.bytes < 32ULL * 1000 * 1000 * 4);
  CHECK(run->summary.median_step_ns > recorded_run({"--scenario", "B-tower", "--steps", "3"})->summary.median_step_ns);
}

TEST_CASE("unified-memory: values are those of copies") {
  const auto losses = [](const char* fault) {
    return recorded_run({"--gpus", "2", "--batch", "4", "--steps", "2", "--arithmetic", "on", "--fault", fault})->summary.losses;
  };
  CHECK(losses("unified-memory") == losses("pageable-input"));
}

TEST_CASE("read-loss-every-step: a blocking copy of four bytes per tower and step") {
  const auto run = small_run({"--gpus", "2", "--fault", "read-loss-every-step"});
  const auto& copies = run->recorder.copies;
  CHECK(std::count_if(copies.begin(), copies.end(), [](const auto& it) { return it.to == Memory::pageable && it.bytes == 4; }) == 2 * 3);
}

TEST_CASE("read-loss-every-op: a blocking copy of four bytes per op") {
  const auto often = small_run({"--gpus", "1", "--fault", "read-loss-every-op"}), once = small_run({"--gpus", "1", "--fault", "read-loss-every-step"});
  const auto reads = [](const test::RecordedRun& run) {
    const auto& copies = run.recorder.copies;
    return std::count_if(copies.begin(), copies.end(), [](const auto& it) { return it.to == Memory::pageable && it.bytes == 4; });
  };
  CHECK(reads(*once) == 3);
  CHECK(reads(*often) > 500 * reads(*once));
  CHECK(often->summary.median_step_ns > once->summary.median_step_ns);
}

TEST_CASE("read-loss-every-op goes with an all-reduce in buckets") {
  const auto run = small_run({"--gpus", "2", "--update", "all-reduce", "--fault", "read-loss-every-op"});
  CHECK(run->summary.step_ns.size() == 3);
}

TEST_CASE("one-stream: one GPU does the work of all, a kernel at a time") {
  const auto run = small_run({"--gpus", "3", "--fault", "one-stream"});
  auto kernels = run->recorder.kernels;
  std::sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    CHECK(kernels[i].device == 0);
    if (i > 0) CHECK(kernels[i].start_ns >= kernels[i - 1].end_ns);
  }
  CHECK(kernels.size() == small_run({"--gpus", "3"})->recorder.kernels.size());
}

TEST_CASE("collective-on-compute-stream: nothing runs beside the all-reduce") {
  const std::vector<const char*> healthy = {"--model", "mlp",   "--box",    "4x-titan-x", "--gpus",       "4",  "--batch",
                                            "1",       "--steps", "3", "--update",   "all-reduce", "--arithmetic", "off"};
  std::vector<const char*> faulty = healthy;
  faulty.insert(faulty.end(), {"--fault", "collective-on-compute-stream"});
  const auto with = recorded_run(faulty), without = recorded_run(healthy);
  CHECK(kernels_beside_peer_copies(*without) > 4 * 3);
  CHECK(with->summary.median_step_ns > without->summary.median_step_ns);
  CHECK(kernels_beside_peer_copies(*with) < kernels_beside_peer_copies(*without) / 2);
}

TEST_CASE("few-thread-reduction: sums of columns take most of the time they took on the whole GPU many times") {
  const auto run = small_run({"--gpus", "1", "--batch", "64", "--fault", "few-thread-reduction"}), without = small_run({"--gpus", "1", "--batch", "64"});
  CHECK(run->recorder.kernel_ns(0, kernel_names::kOuterMean) > 5 * without->recorder.kernel_ns(0, kernel_names::kOuterMean));
  CHECK(run->recorder.kernel_ns(0, kernel_names::kRelu) == without->recorder.kernel_ns(0, kernel_names::kRelu));
}

TEST_CASE("faults of single calls: what becomes of a launch and a copy") {
  test::RecordingBackend machine;
  Faults faults;
  FaultyBackend backend(machine, faults);
  const Stream stream = backend.create_stream(1);
  using Calls = std::vector<std::string>;
  backend.launch(stream, {});
  CHECK(machine.calls == Calls{"launch 1"});

  machine.calls.clear();
  REQUIRE(add_fault(faults, "sync-every-kernel"));
  backend.launch(stream, {});
  CHECK(machine.calls == Calls{"launch 1", "synchronize 1"});

  faults = {};
  machine.calls.clear();
  REQUIRE(add_fault(faults, "alloc-in-loop:2"));
  for (int i = 0; i < 4; ++i) backend.launch(stream, {});
  CHECK(machine.calls == Calls{"launch 1", "launch 1", "release", "launch 1", "launch 1", "release"});

  faults = {};
  machine.calls.clear();
  REQUIRE(add_fault(faults, "tiny-copies:256"));
  const Buffer host = backend.allocate(Memory::pinned, 0, 600, true), device = backend.allocate(Memory::device, 1, 600, true);
  static_cast<char*>(host.data)[599] = 7;
  backend.copy_async(device, host, 600, stream);
  CHECK(machine.calls == Calls(3, "copy pinned device"));
  CHECK(static_cast<char*>(device.data)[599] == 7);
}

TEST_CASE("op-on-host: each tower copies to the host and back in each step") {
  const auto run = small_run({"--gpus", "2", "--fault", "op-on-host"}), without = small_run({"--gpus", "2"});
  const auto to_host = [](const test::RecordedRun& of) {
    const auto& copies = of.recorder.copies;
    return std::count_if(copies.begin(), copies.end(), [](const auto& it) { return it.to != Memory::device && it.bytes > 4; });
  };
  CHECK(to_host(*run) == to_host(*without) + 2 * 3);
  CHECK(run->summary.median_step_ns > without->summary.median_step_ns);
}

TEST_CASE("op-on-host: what is computed stays the same") {
  const auto losses = [](std::vector<const char*> more) {
    std::vector<const char*> arguments = {"--scenario", "A-nhwc", "--steps", "2", "--batch", "2", "--gpus", "1", "--arithmetic", "on"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return recorded_run(arguments)->summary.losses;
  };
  const auto clean = losses({});
  REQUIRE(clean.size() == 2);
  CHECK(clean[0] != clean[1]);
  CHECK(losses({"--fault", "op-on-host"}) == clean);
}
