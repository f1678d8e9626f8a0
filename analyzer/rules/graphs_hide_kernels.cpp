// CUDA graphs were recorded as one span each: what happens inside is not known.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/rule.h"
#include "analyzer/sweep.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

Finding look(const RuleInput& input) {
  Finding finding;
  const trace::GraphLaunches& graphs = input.trace.graph_launches;
  if (!input.trace.has(trace::Table::kernels) && graphs.size() == 0) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no kernels and no CUDA graphs were captured";
    return finding;
  }
  const auto& nodes = input.trace.kernels.graph_node;
  if (std::any_of(nodes.begin(), nodes.end(), [](std::int64_t node) { return node != 0; })) return finding;  // what is inside was recorded too
  std::vector<trace::Span> spans;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    if (!input.metrics.holds(graphs.span(i))) continue;
    spans.push_back(graphs.span(i));
    add_keeping_longest(finding.evidence, {graphs.span(i), graphs.device[i], "a CUDA graph, recorded as a whole"});
  }
  keep_longest(finding.evidence);
  const std::size_t count = spans.size();
  const auto hidden_ns = static_cast<double>(union_ns(std::move(spans)));
  const auto window_ns = static_cast<double>(input.metrics.window.duration_ns());
  if (count == 0 || hidden_ns < thresholds::kInfoShare * window_ns) return Finding{};
  finding.verdict = Verdict::found;
  finding.severity = Severity::info;
  finding.title = fmt::format("CUDA graphs hide what the GPU does for {} of {}", percent(hidden_ns / window_ns), step_word(input.metrics));
  finding.why = fmt::format(
      "{} launches of graphs were recorded as one span each. They count as time with a kernel, which they need not be, and no finding is made of what is inside: gaps, copies and "
      "kernels are not seen there. That is a limit of the recording, not a fault of the program.", count);
  finding.advice = {"Record once more with what is in the graphs: gputrace record --graph-trace node -- ... (nsys profile --cuda-graph-trace=node); it costs more per launch."};
  return finding;
}

}  // namespace

extern const Rule graphs_hide_kernels;
constinit const Rule graphs_hide_kernels{
    "graphs-hide-kernels", "Do CUDA graphs hide what the GPU does?", look,
    {"To see the kernels, run a few steps without graphs: torch.compile(model, mode='default') instead of mode='reduce-overhead', or without torch.cuda.graph(g).",
     "To see the kernels, run a few steps without graphs: os.environ['TF_XLA_FLAGS'] without --xla_gpu_enable_command_buffer; XLA_FLAGS='--xla_gpu_enable_command_buffer='.",
     "To see the kernels, launch the captured stream directly for a few steps: step(stream) instead of cudaGraphLaunch(exec, stream)."}};

}  // namespace gputrace::analyzer
