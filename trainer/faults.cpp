#include "trainer/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace trainer {

namespace {

constexpr double kLastGpu = 63, kLongestMs = 60'000;

constexpr FaultKind kFaults[] = {
    {"straggler", "[:GPU[:MS]]", "the host thread of one tower works MS ms more in each step, between the forward and the backward pass (1, 20)",
     "one GPU's backward pass starts late and the others wait for it; the host thread of that tower is the cause",
     2, {1, 20}, {0, 0}, {kLastGpu, kLongestMs},
     [](Faults& faults, const double* a) {
       faults.straggler_gpu = static_cast<int>(a[0]);
       faults.straggler_ms = a[1];
     }},
    {"slow-link", "[:GPU]", "the PCIe link of one GPU has four lanes (1)",
     "copies of that GPU run at the rate of x4 while its neighbours' are faster; the link, not the copy size, is why",
     1, {1, 0}, {0, 0}, {kLastGpu, 0},
     [](Faults& faults, const double* a) { faults.slow_link_gpu = static_cast<int>(a[0]); }},
    {"far-socket", "[:GPU]", "one GPU hangs on the other processor socket than the host memory in use (1)",
     "copies between that GPU and the host run at half its neighbours' rate, those between GPUs do not: bind the process to "
     "the GPU's socket",
     1, {1, 0}, {0, 0}, {kLastGpu, 0},
     [](Faults& faults, const double* a) { faults.far_socket_gpu = static_cast<int>(a[0]); }},
    {"slow-clock", "[:GPU[:PERCENT]]", "one GPU runs at PERCENT of its clock (1, 60)",
     "the same kernels take longer on that GPU by the clock's ratio, its copies do not, and the others wait for it",
     2, {1, 60}, {0, 1}, {kLastGpu, 100},
     [](Faults& faults, const double* a) {
       faults.slow_clock_gpu = static_cast<int>(a[0]);
       faults.slow_clock_percent = a[1];
     }},
    {"pageable-input", "", "the batch is fed in each step, and all host memory of copies is pageable",
     "copies from pageable memory are slow and hold up the host; page-locked memory would overlap",
     0, {0, 0}, {0, 0}, {0, 0}, [](Faults& faults, const double*) { faults.pageable_input = true; }},
    {"unified-memory", "", "the batch is written by the host in each step into managed memory that the first kernel reads",
     "pages migrate to the GPU while the kernel that touches them waits, and back while the host does; copy from pinned memory, "
     "or prefetch",
     0, {0, 0}, {0, 0}, {0, 0}, [](Faults& faults, const double*) { faults.unified_memory = true; }},
    {"read-loss-every-step", "", "each tower reads its loss with a blocking copy right after its last op",
     "the host waits for the GPU in the middle of each step and hands out nothing meanwhile; read the loss less often",
     0, {0, 0}, {0, 0}, {0, 0}, [](Faults& faults, const double*) { faults.read_loss_every_step = true; }},
    {"read-loss-every-op", "", "each tower reads its loss with a blocking copy after every op",
     "the host waits for the GPU after every op and hands out nothing meanwhile; read the loss once in many steps",
     0, {0, 0}, {0, 0}, {0, 0}, [](Faults& faults, const double*) { faults.read_loss_every_op = true; }},
    {"op-on-host", "", "each tower brings what one op in the middle of its forward pass reads to the host, works on it in one thread there, and brings it back",
     "in each step host work stands between a copy to the host and one back to the GPU, which idles meanwhile: do that op on the GPU",
     0, {0, 0}, {0, 0}, {0, 0}, [](Faults& faults, const double*) { faults.op_on_host = true; }},
    {"sync-every-kernel", "", "the stream is synchronised after every kernel launch",
     "a synchronising call follows each launch; the GPU idles between kernels because the host waits for each",
     0, {0, 0}, {0, 0}, {0, 0}, [](Faults& faults, const double*) { faults.synchronize_every_kernel = true; }},
    {"alloc-in-loop", "[:LAUNCHES]", "cudaMalloc and cudaFree of 1 MiB after every LAUNCHES kernels (50)",
     "allocation inside the loop: cudaFree waits for the whole device, so the GPU drains; allocate once",
     1, {50, 0}, {1, 0}, {1e6, 0},
     [](Faults& faults, const double* a) { faults.allocate_every_launches = static_cast<int>(a[0]); }},
    {"serialized-towers", "", "towers run one after the other",
     "at any time at most one GPU works, and each waits for the others' whole step; run towers in threads of their own",
     0, {0, 0}, {0, 0}, {0, 0}, [](Faults& faults, const double*) { faults.serialized_towers = true; }},
    {"one-stream", "", "all towers queue their work into one stream of GPU 0",
     "one GPU does the work of all towers, one kernel at a time in one stream, while the host has as many threads as towers: "
     "give each tower its own GPU",
     0, {0, 0}, {0, 0}, {0, 0}, [](Faults& faults, const double*) { faults.one_stream = true; }},
    {"collective-on-compute-stream", "", "the all-reduce of --update all-reduce is queued into the compute streams after the backward pass",
     "the collective's copies and kernels overlap nothing: they wait for the whole backward pass in its own stream",
     0, {0, 0}, {0, 0}, {0, 0}, [](Faults& faults, const double*) { faults.collective_on_compute_stream = true; }},
    {"few-thread-reduction", "", "reductions run with one block of 128 threads",
     "reductions take most of the GPU's time with one block: one multiprocessor works and its threads wait for memory",
     0, {0, 0}, {0, 0}, {0, 0}, [](Faults& faults, const double*) { faults.few_thread_reduction = true; }},
    {"periodic-pause", "[:STEPS[:MS]]", "the main thread stops for MS ms in every STEPS-th step (5, 100)",
     "every STEPS-th step is longer by MS ms in which all GPUs are idle and no call is made",
     2, {5, 100}, {1, 0}, {1e6, kLongestMs},
     [](Faults& faults, const double* a) {
       faults.pause_every_steps = static_cast<int>(a[0]);
       faults.pause_ms = a[1];
     }},
    {"unused-gpu", "", "the last GPU is opened and gets no tower",
     "one GPU has a context and no work at all",
     0, {0, 0}, {0, 0}, {0, 0}, [](Faults& faults, const double*) { faults.unused_gpus = 1; }},
    {"tiny-copies", "[:BYTES]", "each copy between host and GPU is made in blocks of BYTES (4096)",
     "many copies too small for the link: their start costs exceed their transfer; merge them",
     1, {4096, 0}, {256, 0}, {1 << 30, 0},
     [](Faults& faults, const double* a) { faults.copy_block_bytes = static_cast<std::size_t>(a[0]); }},
};

std::string known_names() {
  std::string names;
  for (const FaultKind& kind : kFaults) names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
  return names;
}

// The number before the next colon; false where it is none or out of range.
bool take_number(std::string_view& rest, double low, double high, double& value) {
  const std::string_view word = rest.substr(0, rest.find(':'));
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc() || end != word.data() + word.size() || !(value >= low && value <= high)) return false;
  rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  return true;
}

}  // namespace

std::span<const FaultKind> fault_kinds() { return kFaults; }

tl::expected<void, std::string> add_fault(Faults& faults, const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  const auto* kind = std::find_if(std::begin(kFaults), std::end(kFaults), [&](const FaultKind& it) { return it.name == name; });
  if (kind == std::end(kFaults))
    return tl::unexpected(fmt::format("--fault {}: no such fault; there are {}", text, known_names()));
  double arguments[2] = {kind->defaults[0], kind->defaults[1]};
  const bool has_arguments = text.size() > name.size();
  std::string_view rest = std::string_view(text).substr(std::min(text.size(), name.size() + 1));
  bool right = !has_arguments || (kind->argument_count > 0 && text.back() != ':');
  for (int i = 0; right && i < kind->argument_count && !rest.empty(); ++i)
    right = take_number(rest, kind->lowest[i], kind->highest[i], arguments[i]);
  right = right && arguments[0] == std::floor(arguments[0]);  // a GPU or a count
  if (!right || !rest.empty())
    return tl::unexpected(fmt::format("--fault {}: wrong arguments; it is {}{}: {}", text, kind->name, kind->arguments, kind->does));
  kind->apply(faults, arguments);
  faults.given.push_back(text);
  return {};
}

std::string first_modelled_only(const Faults& faults) {
  for (const std::string& text : faults.given) {
    const std::string name = text.substr(0, text.find(':'));
    if (name == "slow-link" || name == "far-socket" || name == "slow-clock" || name == "few-thread-reduction") return text;
  }
  return {};
}

std::string fault_list() {
  std::string text;
  for (const FaultKind& kind : kFaults) {
    text += fmt::format("{}{}\n  does         {}\n  report says  {}\n", kind.name, kind.arguments, kind.does, kind.report_says);
  }
  return text;
}

}  // namespace trainer
