// The program `trainer`. Exit status: 0 done, 1 an error, 2 usage.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>

#include "trainer/cuda/cuda_backend.h"
#include "trainer/faults.h"
#include "trainer/modelled_machine.h"
#include "trainer/options.h"
#include "trainer/published_tables.h"
#include "trainer/training_run.h"
#include "trainer/virtual_box/box_description.h"
#include "trainer/virtual_box/machine_profile.h"
#include "trainer/virtual_box/virtual_backend.h"

namespace {

constexpr int kError = 1, kUsage = 2;  // exit statuses

int complain(const std::string& what, int exit_status) {
  fmt::print(stderr, "trainer: {}\n", what);
  return exit_status;
}

int list_boxes() {
  for (const std::string& name : trainer::virtual_box::profile_names()) {
    const auto machine = trainer::virtual_box::read_profile(name);
    if (!machine) return complain(machine.error(), kError);
    fmt::print("{}\n", trainer::virtual_box::describe(*machine));
  }
  return 0;
}

int print_table(char table) {
  using Made = tl::expected<std::unique_ptr<trainer::Backend>, std::string>;
  const auto make_backend = [](const std::string& box, const trainer::Configuration& run) -> Made {
    const auto machine = trainer::virtual_box::read_profile(box);
    if (!machine) return tl::unexpected(machine.error());
    return trainer::virtual_box::make_virtual_backend(trainer::machine_for(*machine, run));
  };
  const auto printed = trainer::print_table(table, make_backend, std::cout);
  return printed ? 0 : complain(printed.error(), kError);
}

int train_on(trainer::Backend& backend, const trainer::Options& options) {
  const auto summary = trainer::run_training(backend, options, std::cout);
  return summary ? 0 : complain(summary.error(), kError);
}

int train_on_modelled_machine(const trainer::Options& options) {
  const auto machine = trainer::virtual_box::read_profile(options.box);
  if (!machine) return complain(machine.error(), kError);
  return train_on(*trainer::virtual_box::make_virtual_backend(trainer::machine_for(*machine, options.configuration)), options);
}

int train_on_cuda(const trainer::Options& options) {
  const trainer::Configuration& run = options.configuration;
  if (const std::string fault = trainer::first_modelled_only(run.faults); !fault.empty())
    return complain(fmt::format("--fault {}: only a modelled machine can have it; add --backend virtual", fault), kUsage);
  const auto backend = trainer::cuda::make_cuda_backend(run.peer_access);
  return backend ? train_on(**backend, options) : complain(backend.error(), kError);
}

int train(const trainer::Options& options) {
  // The runtime is asked only where its answer counts: the question may start the driver, and with it an injected profiler.
  const bool modelled = options.backend == trainer::BackendKind::modelled ||
                        (options.backend == trainer::BackendKind::automatic && options.box_is_given);
  const auto presence = modelled ? trainer::CudaPresence{} : trainer::cuda::find_devices();
  const auto choice = trainer::choose_backend(options.backend, options.box_is_given, presence);
  if (!choice) return complain(choice.error(), kError);
  if (!choice->reason.empty()) fmt::print("chosen      {}\n", choice->reason);
  return choice->cuda ? train_on_cuda(options) : train_on_modelled_machine(options);
}

int run(int argc, char** argv) {
  const auto options = trainer::parse_options(argc, argv, std::getenv("VIRTUAL_BOX_PROFILE"));
  if (!options) {
    fmt::print(options.error().exit_status == 0 ? stdout : stderr, "{}", options.error().text);
    return options.error().exit_status;
  }
  if (options->list_boxes) return list_boxes();
  if (options->list_faults) {
    fmt::print("{}", trainer::fault_list());
    return 0;
  }
  return options->table != '\0' ? print_table(options->table) : train(*options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {  // out of memory, or oneDNN
    return complain(error.what(), kError);
  }
}
