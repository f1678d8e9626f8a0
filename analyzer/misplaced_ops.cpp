#include "analyzer/misplaced_ops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyzer/gpu_limits.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

struct Rates {
  double flops_per_s, bytes_per_s;
};

std::optional<Rates> rates_of(const trace::Trace& trace, int device) {
  const trace::Gpu* gpu = find_gpu(trace, trace::DeviceId{device});
  if (gpu == nullptr || gpu->memory_bandwidth_bytes_per_s <= 0) return std::nullopt;
  const auto flops_per_s = peak_flops(*gpu);
  if (!flops_per_s) return std::nullopt;
  return Rates{thresholds::kAssumedMatmulEfficiency * *flops_per_s, thresholds::kAssumedMemoryEfficiency * static_cast<double>(gpu->memory_bandwidth_bytes_per_s)};
}

// Per text, what would cross to or from its GPU if the ops ran where they were asked to: inputs that come from elsewhere, and results
// that ops which stay on the host read. Each value crosses once, and counts for the first op that needs it, or for the one that makes it.
std::vector<double> crossing_bytes(const std::vector<OpText>& texts) {
  std::unordered_map<std::string_view, std::size_t> moved;  // by the op's name
  for (std::size_t t = 0; t < texts.size(); ++t)
    if (is_misplaced(texts[t])) moved.emplace(texts[t].name, t);
  std::vector<double> bytes(texts.size());
  std::set<std::pair<int, std::string_view>> seen;
  for (std::size_t t = 0; t < texts.size(); ++t) {
    const OpText& op = texts[t];
    const int here = is_misplaced(op) ? gpu_of(op.requested) : -1;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const auto producer = moved.find(op.inputs[i]);
      const int there = producer == moved.end() ? -1 : gpu_of(texts[producer->second].requested);
      if (here == there) continue;
      if (here >= 0 && seen.emplace(here, op.inputs[i]).second) bytes[t] += input_bytes(op, i);
      if (there >= 0 && seen.emplace(there, op.inputs[i]).second) bytes[producer->second] += input_bytes(op, i);
    }
  }
  return bytes;
}

}  // namespace

bool names_devices(const OpText& op) { return !op.requested.empty() && !op.device.empty(); }
bool is_misplaced(const OpText& op) { return names_devices(op) && gpu_of(op.requested) >= 0 && is_cpu(op.device); }

MisplacedOps find_misplaced_ops(const trace::Trace& trace, const Metrics& metrics) {
  const OpRanges& ranges = metrics.ops;
  MisplacedOps found;
  for (std::size_t i = 0; i < ranges.size(); ++i)
    if (is_misplaced(ranges.texts[ranges.text[i]])) found.ops.push_back(i);
  if (found.ops.empty()) return found;

  const std::vector<double> crossing = crossing_bytes(ranges.texts);
  std::map<int, std::optional<Rates>> rates_by_gpu;
  std::vector<double> ns_of_text(ranges.texts.size());
  bool any_work = false;
  for (std::size_t t = 0; t < ranges.texts.size(); ++t) {
    const OpText& op = ranges.texts[t];
    if (!is_misplaced(op)) continue;
    const auto [rates, is_new] = rates_by_gpu.try_emplace(gpu_of(op.requested));
    if (is_new) rates->second = rates_of(trace, rates->first);
    if (!rates->second) return found;
    const OpWork work = op_work(op);
    any_work |= work.flops > 0 || work.bytes > 0;
    ns_of_text[t] = 1e9 * (std::max(work.flops / rates->second->flops_per_s, work.bytes / rates->second->bytes_per_s) +
                           crossing[t] / thresholds::kAssumedPageableBytesPerSecond);
  }
  if (!any_work) return found;
  for (const std::size_t op : found.ops) found.gpu_ns.push_back(ns_of_text[ranges.text[op]]);
  return found;
}

}  // namespace gputrace::analyzer
