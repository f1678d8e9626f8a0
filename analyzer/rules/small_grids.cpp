// Kernels of fewer blocks than the GPU has multiprocessors, which take a good part of the time: most of the GPU looks on. Those of
// cuDNN, cuBLAS and their like are left out: the library chose that grid for that shape, so the shape is what could change.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/gpu_limits.h"
#include "analyzer/rule.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

bool grid_is_the_librarys(const Explanation& kernel) {
  constexpr std::array<std::string_view, 5> kLibraries{"cudnn", "cublas", "cutlass", "cufft", "tensorrt"};
  return std::find(kLibraries.begin(), kLibraries.end(), kernel.library) != kLibraries.end();
}

struct Small {
  std::int64_t ns = 0, calls = 0;
  double saved_ns = 0;  // if the same work were spread over all multiprocessors
  std::int64_t blocks = 0, threads = 0;
  Evidence longest{};
};

Finding look(const RuleInput& input) {
  Finding finding;
  if (!input.trace.has(trace::Table::kernels)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no kernels were captured";
    return finding;
  }
  const trace::Kernels& kernels = input.trace.kernels;
  std::map<std::pair<trace::DeviceId, std::uint32_t>, Small> small;
  bool sizes_known = false, any_kernel = false;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels.start_ns[i] < input.metrics.window.start_ns || kernels.end_ns[i] > input.metrics.window.end_ns) continue;
    any_kernel = true;
    const trace::Gpu* gpu = find_gpu(input.trace, kernels.device[i]);
    if (gpu == nullptr || gpu->sm_count <= 0) continue;
    sizes_known = true;
    const std::int64_t blocks = kernels.grid[i].count(), ns = kernels.span(i).duration_ns();
    if (2 * blocks > gpu->sm_count || ns < static_cast<std::int64_t>(thresholds::kLongSmallKernelNs)) continue;
    if (input.metrics.is_communication[kernels.name[i].value] || grid_is_the_librarys(input.metrics.kernels.of(kernels.name[i]))) continue;
    Small& sum = small[{kernels.device[i], kernels.name[i].value}];
    sum.ns += ns;
    ++sum.calls;
    sum.saved_ns += static_cast<double>(ns) * (1 - static_cast<double>(blocks) / gpu->sm_count);
    sum.blocks = blocks;
    sum.threads = kernels.block[i].count();
    if (ns > sum.longest.span.duration_ns()) sum.longest = {kernels.span(i), kernels.device[i], fmt::format("{} blocks", blocks)};
  }
  if (!sizes_known) {
    finding.verdict = Verdict::could_not_look;
    finding.why = any_kernel ? "the trace does not say how many multiprocessors the GPUs have" : "no kernel ran in the window";
    return finding;
  }
  // The GPU on which most could be saved.
  std::map<trace::DeviceId, double> saved_ns;
  for (const auto& [key, sum] : small) saved_ns[key.first] += sum.saved_ns;
  const auto worst = std::max_element(saved_ns.begin(), saved_ns.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto window_ns = static_cast<double>(input.metrics.window.duration_ns());
  if (worst == saved_ns.end() || worst->second < thresholds::kSmallGridShare * window_ns) return finding;

  const Small* largest = nullptr;
  std::uint32_t largest_name = 0;
  double total_ns = 0;
  for (const auto& [key, sum] : small) {
    if (key.first != worst->first) continue;
    total_ns += static_cast<double>(sum.ns);
    finding.evidence.push_back(sum.longest);
    if (largest == nullptr || sum.ns > largest->ns) largest = &sum, largest_name = key.second;
  }
  keep_longest(finding.evidence);
  const double now_ns = step_ns(input.metrics), window_to_step = now_ns / window_ns;
  const int sms = find_gpu(input.trace, worst->first)->sm_count;
  finding.verdict = Verdict::found;
  finding.at_stake_ns_per_step = static_cast<std::int64_t>(total_ns * window_to_step);
  set_gain(finding, now_ns, now_ns - worst->second * window_to_step);
  finding.title = fmt::format("Long kernels with few blocks use a part of GPU {} only, for {} of {}", worst->first.value, percent(total_ns / window_ns), step_word(input.metrics));
  finding.why = fmt::format(
      "The largest is {} ({} calls, {} in all) with {} block{} of {} threads on a GPU of {} multiprocessors: the rest of it looks on. Spread over all of "
      "them, the same work of these kernels would take {} {} less.", input.metrics.kernels.of(trace::StringId{largest_name}).label, largest->calls,
      milliseconds(static_cast<double>(largest->ns)), largest->blocks, largest->blocks == 1 ? "" : "s", largest->threads, sms,
      milliseconds(worst->second * window_to_step), per_step(input.metrics));
  return finding;
}

}  // namespace

extern const Rule small_grids;
constinit const Rule small_grids{"small-grids", "Do long kernels use only a part of the GPU?", look,
    {"x.flatten().sum() over neighbouring dimensions, or two passes: x.sum(-1).sum(-1); one launch over all items: torch._foreach_norm(params), torch.bmm instead of a loop.",
     "tf.nn.fused_batch_norm(...) instead of tf.reduce_mean(x, [0, 2, 3]), whose axes are not neighbours: Eigen gives it a thread per result; or NHWC; or reduce in two passes.",
     "Reduce in two passes with many blocks: cub::DeviceReduce::Sum(temp, bytes, in, out, n, stream); one launch over all items: grid.y = items."}};

}  // namespace gputrace::analyzer
