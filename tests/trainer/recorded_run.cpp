#include "recorded_run.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "trainer/modelled_machine.h"
#include "trainer/virtual_box/machine_profile.h"
#include "trainer/virtual_box/virtual_backend.h"

namespace trainer::test {

void Recorder::add(const virtual_box::KernelActivity& activity) {
  kernels.push_back(
      {activity.launch.mangled_name, activity.place.device, activity.start_ns, activity.end_ns});
}

void Recorder::add(const virtual_box::CopyActivity& activity) {
  copies.push_back({activity.from, activity.to, activity.from_device, activity.to_device, activity.bytes,
                    activity.start_ns, activity.end_ns});
}

std::int64_t Recorder::kernel_ns(int device) const {
  std::int64_t sum = 0;
  for (const RecordedKernel& kernel : kernels)
    sum += kernel.device == device ? kernel.end_ns - kernel.start_ns : 0;
  return sum;
}

std::int64_t Recorder::kernel_ns(int device, std::string_view name) const {
  std::int64_t sum = 0;
  for (const RecordedKernel& kernel : kernels) {
    if (kernel.device == device && kernel.name == name) sum += kernel.end_ns - kernel.start_ns;
  }
  return sum;
}

std::unique_ptr<RecordedRun> recorded_run(const std::vector<const char*>& arguments) {
  std::vector<const char*> argv = {"trainer"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const auto options = parse_options(static_cast<int>(argv.size()), argv.data(), nullptr);
  REQUIRE(options);
  const auto profile = virtual_box::read_profile(options->box);
  REQUIRE(profile);
  const virtual_box::MachineProfile machine = machine_for(*profile, options->configuration);

  auto run = std::make_unique<RecordedRun>();
  const auto backend = virtual_box::make_virtual_backend(machine, &run->recorder);
  std::ostringstream output;
  auto summary = run_training(*backend, *options, output);
  REQUIRE(summary);
  run->summary = *std::move(summary);
  run->output = output.str();
  return run;
}

std::unique_ptr<Backend> box(const std::string& profile, const Configuration& run) {
  const auto machine = virtual_box::read_profile(profile);
  REQUIRE(machine);
  return virtual_box::make_virtual_backend(machine_for(*machine, run), nullptr);
}

}  // namespace trainer::test
