// The program `trainer`. Exit status: 0 done, 1 an error, 2 usage.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <set>

#include "trainer/options.h"
#include "trainer/scenario.h"
#include "trainer/training_run.h"
#include "trainer/virtual_box/machine_profile.h"
#include "trainer/virtual_box/virtual_backend.h"

namespace {

constexpr int kError = 1, kUsage = 2;  // exit statuses

int complain(const std::string& what, int exit_status) {
  fmt::print(stderr, "trainer: {}\n", what);
  return exit_status;
}

int list_boxes() {
  std::set<std::string> boxes;
  for (const trainer::Scenario& scenario : trainer::scenarios()) boxes.emplace(scenario.box);
  for (const std::string& box : boxes) {
    const auto machine = trainer::virtual_box::read_profile(box);
    if (!machine) return complain(machine.error(), kError);
    const auto& [name, gpu, host, pcie, nvlinks, efficiency, driver] = *machine;
    fmt::print("{:<12} {} x {}: {} SMs, {:.0f} MHz, {:.1f} GB/s, PCIe {}.0 x{}", name, gpu.count, gpu.name,
               gpu.sm_count, gpu.clock_mhz, gpu.memory_gbps, pcie.generation, pcie.gpu_lanes);
    for (const auto& node : pcie.switches)
      fmt::print(", switch x{} for {}", node.uplink_lanes, fmt::join(node.gpus, " "));
    fmt::print("; {} ({} cores, {:.1f} GHz)\n", host.processor, host.cores, host.clock_ghz);
  }
  return 0;
}

int run(int argc, char** argv) {
  const auto options = trainer::parse_options(argc, argv, std::getenv("VIRTUAL_BOX_PROFILE"));
  if (!options) {
    fmt::print(options.error().exit_status == 0 ? stdout : stderr, "{}", options.error().text);
    return options.error().exit_status;
  }
  if (options->list_boxes) return list_boxes();
  const auto backend = trainer::virtual_box::make_virtual_backend(options->box);
  if (!backend) return complain(backend.error(), kError);
  const int gpus = options->configuration.gpus, present = (*backend)->device_count();
  if (gpus > present) {
    return complain(fmt::format("--gpus {}: {} has {}", gpus, options->box, present), kUsage);
  }
  const auto summary = trainer::run_training(**backend, *options, std::cout);
  return summary ? 0 : complain(summary.error(), kError);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {  // out of memory, or oneDNN
    return complain(error.what(), kError);
  }
}
