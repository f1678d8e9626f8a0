// Most of the traced time passes before the steps: loading, compiling, uploading weights.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/rule.h"
#include "analyzer/sweep.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

struct Uploads {
  double bytes = 0, ns = 0, pageable_bytes = 0;
};

Uploads uploads_before(const RuleInput& input, Finding& finding) {
  const trace::Copies& copies = input.trace.copies;
  Uploads sum;
  for (std::size_t i = 0; i < copies.size() && copies.start_ns[i] < input.metrics.window.start_ns; ++i) {
    if (copies.kind[i] != trace::CopyKind::host_to_device || !copies.has_size(i)) continue;
    sum.bytes += static_cast<double>(copies.bytes[i]);
    sum.ns += static_cast<double>(copies.span(i).duration_ns());
    if (copies.source_memory[i] == trace::MemoryKind::pageable) sum.pageable_bytes += static_cast<double>(copies.bytes[i]);
    add_keeping_longest(finding.evidence, {copies.span(i), copies.device[i], fmt::format("{} uploaded before the steps", gigabytes(static_cast<double>(copies.bytes[i])))});
  }
  return sum;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!input.trace.has(trace::Table::kernels) && !input.trace.has(trace::Table::nvtx)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "neither kernels nor NVTX ranges were captured, so it is not known when the work begins";
    return finding;
  }
  const trace::Span whole = input.trace.span();
  const std::int64_t before_ns = input.metrics.window.start_ns - whole.start_ns;
  const double share = whole.duration_ns() > 0 ? static_cast<double>(before_ns) / static_cast<double>(whole.duration_ns()) : 0;
  if (share < thresholds::kStartUpShare || static_cast<double>(before_ns) < thresholds::kStartUpNs) return finding;
  const Uploads uploads = uploads_before(input, finding);
  if (uploads.ns < thresholds::kInfoShare * static_cast<double>(before_ns)) finding.evidence.clear();
  finding.verdict = Verdict::found;
  finding.severity = Severity::info;  // of a run as short as traced; a long one has forgotten it
  finding.title = fmt::format("Start-up takes {} of the {} traced", milliseconds(static_cast<double>(before_ns)), milliseconds(static_cast<double>(whole.duration_ns())));
  finding.why = fmt::format("{} pass before the {}. ", milliseconds(static_cast<double>(before_ns)),
                            input.metrics.steps.spans.empty() ? "first work of a GPU" : "steps that the figures are of");
  if (uploads.ns >= thresholds::kInfoShare * static_cast<double>(before_ns)) {
    finding.why += fmt::format("In it {} are copied to the GPUs in {}, at {}", gigabytes(uploads.bytes), milliseconds(uploads.ns), gigabytes_per_second(uploads.bytes * 1e9 / uploads.ns));
    finding.why += 2 * uploads.pageable_bytes > uploads.bytes ? ", from pageable memory: from pinned memory the link would set the pace. " : ". ";
  }
  finding.why += "It counts once per run: it matters where runs are short, and none of it is a matter of the steps.";
  finding.evidence.push_back({{whole.start_ns, input.metrics.window.start_ns}, std::nullopt, "before the steps"});
  keep_longest(finding.evidence);
  return finding;
}

}  // namespace

extern const Rule start_up_dominates;
constinit const Rule start_up_dominates{
    "start-up-dominates", "Does start-up take most of the traced time?", look,
    {"state = torch.load(path, map_location='cuda', mmap=True) or safetensors.torch.load_file(path, device='cuda') instead of a copy from pageable memory; keep the inductor cache: "
     "os.environ['TORCHINDUCTOR_CACHE_DIR'].",
     "Keep compiled programs: os.environ['TF_XLA_FLAGS'] = '--tf_xla_persistent_cache_directory=cache'; fewer autotuned shapes: tf.config.optimizer.set_jit(False) for short runs.",
     "cudaHostRegister(weights, size, cudaHostRegisterDefault) before the upload; keep CUDA_CACHE_PATH between runs, and compile for the GPU at hand: nvcc -arch=sm_90."}};

}  // namespace gputrace::analyzer
