#include "trace/clock_alignment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gputrace::trace {
namespace {

constexpr std::string_view kKinds[] = {"allreduce", "reducescatter", "allgather", "broadcast", "alltoall", "reduce"};
constexpr std::size_t kKindCount = std::size(kKinds);
constexpr double kMostDrift = 200e-6;

std::string simplified(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '_' || c == '-') continue;
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

// "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)", "ncclKernel_AllReduce_RING_LL_Sum_float"; kKindCount: no collective.
std::size_t collective_kind(std::string_view name) {
  const std::string text = simplified(name.substr(0, 256));
  if (text.find("nccl") == std::string::npos && text.find("rccl") == std::string::npos) return kKindCount;
  for (std::size_t kind = 0; kind < kKindCount; ++kind) {
    if (text.find(kKinds[kind]) != std::string::npos) return kind;
  }
  return kKindCount;
}

using EndsByKind = std::array<std::vector<std::int64_t>, kKindCount>;

EndsByKind collective_ends(const Trace& trace) {
  EndsByKind ends;
  std::map<StringId, std::size_t> kinds;
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    const auto [kind, is_new] = kinds.try_emplace(trace.kernels.name[i], kKindCount);
    if (is_new) kind->second = collective_kind(trace.text(trace.kernels.name[i]));
    if (kind->second < kKindCount) ends[kind->second].push_back(trace.kernels.end_ns[i]);
  }
  return ends;
}

struct Pair {
  std::int64_t other_ns, ahead_ns;  // of the reference's clock before the other
};

std::vector<Pair> matched_pairs(const Trace& reference, const Trace& other) {
  const EndsByKind reference_ends = collective_ends(reference), other_ends = collective_ends(other);
  std::vector<Pair> pairs;
  for (std::size_t kind = 0; kind < kKindCount; ++kind) {
    if (reference_ends[kind].size() != other_ends[kind].size()) continue;
    for (std::size_t i = 0; i < other_ends[kind].size(); ++i)
      pairs.push_back({other_ends[kind][i], reference_ends[kind][i] - other_ends[kind][i]});
  }
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.other_ns < b.other_ns; });
  return pairs;
}

template <class Value>
std::int64_t quantile(std::vector<Value> values, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

std::int64_t median_of(std::vector<Pair>::const_iterator begin, std::vector<Pair>::const_iterator end, std::int64_t Pair::*member) {
  std::vector<std::int64_t> values;
  for (; begin != end; ++begin) values.push_back(*begin.*member);
  return quantile(std::move(values), 0.5);
}

std::vector<std::int64_t> deviations(const std::vector<Pair>& pairs, const ClockFit& fit) {
  std::vector<std::int64_t> values;
  for (const Pair& pair : pairs) values.push_back(std::abs(pair.ahead_ns - (fit.to_reference(pair.other_ns) - pair.other_ns)));
  return values;
}

double slope(const std::vector<Pair>& pairs) {
  constexpr std::size_t kLeastPairs = 8;
  if (pairs.size() < kLeastPairs) return 0;
  const auto middle = pairs.begin() + static_cast<std::ptrdiff_t>(pairs.size() / 2);
  const std::int64_t run = median_of(middle, pairs.end(), &Pair::other_ns) - median_of(pairs.begin(), middle, &Pair::other_ns);
  const std::int64_t rise = median_of(middle, pairs.end(), &Pair::ahead_ns) - median_of(pairs.begin(), middle, &Pair::ahead_ns);
  return run <= 0 ? 0 : static_cast<double>(rise) / static_cast<double>(run);
}

ClockFit fit_with_drift(const std::vector<Pair>& pairs, double drift) {
  ClockFit fit{.first_ns = pairs.front().other_ns, .offset_ns = 0, .drift_ppb = std::llround(drift * 1e9), .residual_ns = 0,
               .matched = static_cast<std::int64_t>(pairs.size())};
  std::vector<std::int64_t> offsets;
  for (const Pair& pair : pairs) offsets.push_back(pair.ahead_ns - (fit.to_reference(pair.other_ns) - pair.other_ns));
  fit.offset_ns = quantile(std::move(offsets), 0.5);
  return fit;
}

}  // namespace

std::int64_t ClockFit::to_reference(std::int64_t time_ns) const {
  const double elapsed_ns = static_cast<double>(time_ns) - static_cast<double>(first_ns);
  return time_ns + offset_ns + std::llround(1e-9 * static_cast<double>(drift_ppb) * elapsed_ns);
}

std::optional<ClockFit> fit_clock(const Trace& reference, const Trace& other) {
  const std::vector<Pair> pairs = matched_pairs(reference, other);
  if (pairs.empty()) return std::nullopt;
  ClockFit best = fit_with_drift(pairs, 0);
  if (const double drift = slope(pairs); drift != 0 && std::abs(drift) <= kMostDrift) {
    const ClockFit drifting = fit_with_drift(pairs, drift);
    if (quantile(deviations(pairs, drifting), 0.5) < quantile(deviations(pairs, best), 0.5)) best = drifting;
  }
  best.residual_ns = quantile(deviations(pairs, best), 0.95);
  return best;
}

}  // namespace gputrace::trace
