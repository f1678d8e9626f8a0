#include "analyzer/input_waits.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace gputrace::analyzer {

namespace {

constexpr std::array<std::string_view, 16> kWords{
    "dataloader",  "data_loader", "data loader", "iteratorgetnext", "wait for batch", "next_batch", "next batch", "nextbatch",
    "get_batch",   "get batch",   "load_batch",  "load batch",      "data_wait",      "data wait",  "data_load",  "data loading"};

}  // namespace

bool is_input_wait(std::string_view text) {
  std::string lower(text.substr(0, 256));  // a range's name says what it is at its start
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

std::vector<trace::Span> input_waits(const trace::Trace& trace, trace::Span window) {
  std::vector<signed char> known(trace.strings.size(), -1);  // by text: texts repeat
  std::vector<trace::Span> merged;
  const trace::NvtxRanges& ranges = trace.nvtx;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges.end_ns[i] == trace::kNoEnd || ranges.end_ns[i] <= window.start_ns || ranges.start_ns[i] >= window.end_ns) continue;
    signed char& wait = known[ranges.text[i].value];
    if (wait < 0) wait = is_input_wait(trace.text(ranges.text[i])) ? 1 : 0;
    if (wait == 0) continue;
    if (!merged.empty() && ranges.start_ns[i] <= merged.back().end_ns) {
      merged.back().end_ns = std::max(merged.back().end_ns, ranges.end_ns[i]);
    } else {
      merged.push_back({ranges.start_ns[i], ranges.end_ns[i]});
    }
  }
  return merged;
}

std::int64_t covered_ns(const std::vector<trace::Span>& merged, trace::Span span) {
  std::int64_t covered = 0;
  auto at = std::partition_point(merged.begin(), merged.end(), [&](const trace::Span& it) { return it.end_ns <= span.start_ns; });
  for (; at != merged.end() && at->start_ns < span.end_ns; ++at)
    covered += std::min(at->end_ns, span.end_ns) - std::max(at->start_ns, span.start_ns);
  return covered;
}

}  // namespace gputrace::analyzer
