#include "analyzer/sweep.h"

#include <algorithm>

namespace gputrace::analyzer {
namespace {

void sort_if_needed(std::vector<std::int64_t>& values) {
  if (!std::is_sorted(values.begin(), values.end())) std::sort(values.begin(), values.end());
}

}  // namespace

void Edges::add(trace::Span span, trace::Span window) {
  const std::int64_t start_ns = std::max(span.start_ns, window.start_ns);
  const std::int64_t end_ns = std::min(span.end_ns, window.end_ns);
  if (start_ns >= end_ns) return;
  starts_.push_back(start_ns);
  ends_.push_back(end_ns);
}

void Edges::sort() {
  sort_if_needed(starts_);
  sort_if_needed(ends_);
}

std::int64_t union_ns(std::vector<trace::Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  std::int64_t total_ns = 0, covered_until = INT64_MIN;
  for (const trace::Span& span : spans) {
    const std::int64_t start_ns = std::max(span.start_ns, covered_until);
    if (span.end_ns <= start_ns) continue;
    total_ns += span.end_ns - start_ns;
    covered_until = span.end_ns;
  }
  return total_ns;
}

}  // namespace gputrace::analyzer
