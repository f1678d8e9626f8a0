// Faults to switch on: traces whose true cause is known. `fault_kinds()` is the one table of them: what each does, and
// what a right report must say of a run that has it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace trainer {

// What is switched on; zero and -1 mean that it is not.
struct Faults {
  std::vector<std::string> given;  // as on the command line
  int straggler_gpu = -1, slow_link_gpu = -1, far_socket_gpu = -1, slow_clock_gpu = -1;
  double straggler_ms = 0, pause_ms = 0, slow_clock_percent = 100;
  int pause_every_steps = 0, allocate_every_launches = 0, unused_gpus = 0;
  std::size_t copy_block_bytes = 0;
  bool pageable_input = false, read_loss_every_step = false, read_loss_every_op = false, synchronize_every_kernel = false;
  bool serialized_towers = false, one_stream = false, collective_on_compute_stream = false, few_thread_reduction = false, unified_memory = false;
  bool op_on_host = false;
};

struct FaultKind {
  std::string_view name;
  std::string_view arguments;  // "[:GPU[:MS]]"
  std::string_view does;
  std::string_view report_says;
  int argument_count;              // at most
  double defaults[2], lowest[2], highest[2];
  void (*apply)(Faults&, const double arguments[2]);
};

std::span<const FaultKind> fault_kinds();

// "straggler:1:5". The error is one line that names what is allowed.
tl::expected<void, std::string> add_fault(Faults& faults, const std::string& text);

// The first of the faults given that lies in the machine, or in kernels that only a modelled one takes as they are asked
// for: slow-link, far-socket, slow-clock, few-thread-reduction. Empty where there is none.
std::string first_modelled_only(const Faults& faults);

std::string fault_list();  // the table as text, for --list-faults

}  // namespace trainer
