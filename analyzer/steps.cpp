#include "analyzer/steps.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "analyzer/kernel_period.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using trace::NvtxRanges;
using trace::Span;
using trace::Trace;

// "Step #12" -> "step #": lower case, digits left out, so that the names of one loop fall together.
std::string without_digits(std::string_view text) {
  std::string key;
  for (const char c : text.substr(0, 64)) {
    if (c >= '0' && c <= '9') continue;
    key += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return key;
}

bool sounds_like_a_step(std::string_view key) {
  constexpr std::array<std::string_view, 6> kNames{"step", "iteration", "iter", "train_step", "profilerstep", "train step"};
  const auto end = key.find_last_not_of(" #:_-=()[].");
  const std::string_view trimmed = end == std::string_view::npos ? std::string_view{} : key.substr(0, end + 1);
  return std::find(kNames.begin(), kNames.end(), trimmed) != kNames.end();
}

bool one_after_the_other(const std::vector<Span>& spans) {
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].start_ns < spans[i - 1].end_ns) return false;
  }
  return true;
}

std::int64_t median(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::int64_t median_duration(const std::vector<Span>& spans, std::size_t first) {
  std::vector<std::int64_t> durations;
  for (std::size_t i = first; i < spans.size(); ++i) durations.push_back(spans[i].duration_ns());
  return median(std::move(durations));
}

// Of all: those within a tenth of the median.
double share_of_usual_length(const std::vector<Span>& spans) {
  if (spans.empty()) return 0;
  const std::int64_t usual_ns = median_duration(spans, 0);
  const auto usual = std::count_if(spans.begin(), spans.end(), [&](const Span& span) { return 10 * std::abs(span.duration_ns() - usual_ns) <= usual_ns; });
  return static_cast<double>(usual) / static_cast<double>(spans.size());
}

std::size_t warm_up_steps(const std::vector<Span>& spans) {
  const std::size_t most = spans.size() / 4 + (spans.size() == 3 ? 1 : 0);
  std::size_t warm_up = 0;
  while (warm_up < most) {
    const auto rest = static_cast<double>(median_duration(spans, warm_up + 1));
    if (static_cast<double>(spans[warm_up].duration_ns()) <= thresholds::kWarmUpFactor * rest) break;
    ++warm_up;
  }
  return warm_up;
}

}  // namespace

Steps find_steps(const Trace& trace) {
  const NvtxRanges& nvtx = trace.nvtx;
  std::map<trace::StringId, bool> step_domain, step_text;
  std::map<trace::StringId, std::string> keys;
  std::map<std::tuple<std::int32_t, trace::StringId, std::string>, std::vector<Span>> loops;
  for (std::size_t i = 0; i < nvtx.size(); ++i) {
    if (nvtx.kind[i] != trace::NvtxKind::push_pop && nvtx.kind[i] != trace::NvtxKind::start_end) continue;
    if (nvtx.end_ns[i] == trace::kNoEnd) continue;
    auto [text, is_new] = step_text.try_emplace(nvtx.text[i], false);
    if (is_new) {
      keys[nvtx.text[i]] = without_digits(trace.text(nvtx.text[i]));
      text->second = sounds_like_a_step(keys[nvtx.text[i]]);
    }
    auto [domain, new_domain] = step_domain.try_emplace(nvtx.domain[i], false);
    if (new_domain) domain->second = sounds_like_a_step(without_digits(trace.text(nvtx.domain[i])));
    if (!text->second && !domain->second) continue;
    loops[{nvtx.thread[i].value, nvtx.domain[i], keys[nvtx.text[i]]}].push_back({nvtx.start_ns[i], nvtx.end_ns[i]});
  }

  Steps steps;
  std::int64_t best_covered_ns = 0;
  for (auto& [key, spans] : loops) {
    if (spans.size() < 2 || !one_after_the_other(spans)) continue;
    std::int64_t covered_ns = 0;
    for (const Span& span : spans) covered_ns += span.duration_ns();
    if (covered_ns <= best_covered_ns) continue;
    best_covered_ns = covered_ns;
    steps.spans = spans;
  }
  steps.source = StepSource::nvtx;
  steps.certainty = 1;
  if (steps.spans.empty()) {
    const KernelPeriod period = find_kernel_period(trace);
    steps.spans = period.units;
    steps.source = steps.spans.empty() ? StepSource::none : StepSource::periodicity;
    steps.certainty = period.share * share_of_usual_length(steps.spans);
  }
  if (steps.spans.empty()) return steps;
  steps.warm_up = warm_up_steps(steps.spans);
  steps.median_ns = median_duration(steps.spans, steps.warm_up);
  return steps;
}

Span analysis_window(const Trace& trace, const Steps& steps) {
  if (!steps.spans.empty()) return {steps.spans[steps.warm_up].start_ns, steps.spans.back().end_ns};
  if (trace.kernels.size() == 0) return trace.span();
  Span window{trace.kernels.start_ns.front(), trace.kernels.end_ns.front()};
  for (std::size_t i = 0; i < trace.copies.size(); ++i) {  // in the order of start
    if (trace.copies.kind[i] == trace::CopyKind::host_to_device) continue;
    window.start_ns = std::min(window.start_ns, trace.copies.start_ns[i]);
    break;
  }
  const auto extend = [&](const trace::DeviceColumns& columns) {
    for (const std::int64_t end_ns : columns.end_ns) window.end_ns = std::max(window.end_ns, end_ns);
  };
  extend(trace.kernels);
  extend(trace.copies);
  extend(trace.fills);
  return window;
}

Span gpu_span(const Trace& trace) {
  Span span{INT64_MAX, INT64_MIN};
  const auto extend = [&](const trace::DeviceColumns& columns) {
    if (columns.size() > 0) span.start_ns = std::min(span.start_ns, columns.start_ns.front());  // sorted
    for (const std::int64_t end_ns : columns.end_ns) span.end_ns = std::max(span.end_ns, end_ns);
  };
  extend(trace.kernels);
  extend(trace.copies);
  extend(trace.fills);
  extend(trace.graph_launches);
  return span.end_ns < span.start_ns ? Span{} : span;
}

}  // namespace gputrace::analyzer
