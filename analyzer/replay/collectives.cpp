#include "analyzer/replay/collectives.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace gputrace::analyzer {
namespace {

using trace::Trace;

// Parts of one collective end within this of each other on one clock: each waits for the last data of a neighbour.
constexpr std::int64_t kEndTogetherNs = 20'000;

bool is_collective(std::string_view name) {
  std::string text;
  for (const char c : name.substr(0, 256)) {
    if (c != '_' && c != '-') text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  constexpr std::array<std::string_view, 4> kKinds{"allreduce", "reducescatter", "allgather", "alltoall"};
  const bool library = text.find("nccl") != std::string::npos || text.find("rccl") != std::string::npos;
  return library && std::any_of(kKinds.begin(), kKinds.end(), [&](std::string_view kind) { return text.find(kind) != std::string::npos; });
}

using GpuKey = std::pair<trace::ProcessIndex, trace::DeviceId>;

class Matcher {
 public:
  Matcher(const Trace& trace, Collectives& found) : trace_(trace), found_(found), tolerance_ns_(kEndTogetherNs + trace.clock_residual_ns().value_or(0)) {}

  // Rows of one name, in the order of start.
  void match(const std::vector<std::uint32_t>& rows) {
    std::map<GpuKey, std::size_t> gpus;
    for (const std::uint32_t row : rows) ++gpus[gpu_of(row)];
    if (gpus.size() < 2) return count_unmatched(rows.size());
    std::vector<std::uint32_t> group;
    std::int64_t first_end_ns = 0;
    for (const std::uint32_t row : rows) {
      const bool joins = !group.empty() && trace_.kernels.start_ns[row] < first_end_ns && !has_gpu(group, gpu_of(row));
      if (!joins) {
        count_unmatched(group.size());
        group.clear();
      }
      first_end_ns = group.empty() ? trace_.kernels.end_ns[row] : std::min(first_end_ns, trace_.kernels.end_ns[row]);
      group.push_back(row);
      if (group.size() < gpus.size()) continue;
      take(group);
      group.clear();
    }
    count_unmatched(group.size());
  }

 private:
  GpuKey gpu_of(std::uint32_t row) const { return {trace_.kernels.process[row], trace_.kernels.device[row]}; }
  bool has_gpu(const std::vector<std::uint32_t>& group, const GpuKey& gpu) const {
    return std::any_of(group.begin(), group.end(), [&](std::uint32_t row) { return gpu_of(row) == gpu; });
  }
  void count_unmatched(std::size_t kernels) { found_.unmatched += kernels; }

  void take(const std::vector<std::uint32_t>& group) {
    std::int64_t first_end_ns = INT64_MAX, last_end_ns = INT64_MIN;
    for (const std::uint32_t row : group) {
      first_end_ns = std::min(first_end_ns, trace_.kernels.end_ns[row]);
      last_end_ns = std::max(last_end_ns, trace_.kernels.end_ns[row]);
    }
    if (last_end_ns - first_end_ns > tolerance_ns_) return count_unmatched(group.size());
    found_.matched.push_back({trace_.kernels.start_ns[group.back()], group});
  }

  const Trace& trace_;
  Collectives& found_;
  std::int64_t tolerance_ns_;
};

}  // namespace

Collectives find_collectives(const Trace& trace, trace::Span window) {
  Collectives found;
  if (!trace.clock_residual_ns()) return found;  // clocks that nothing aligned tell nothing of what came first
  std::vector<std::uint8_t> known(trace.strings.size());  // 0: not asked yet, 1: no, 2: yes
  std::map<trace::StringId, std::vector<std::uint32_t>> by_name;
  const trace::Kernels& kernels = trace.kernels;
  for (std::uint32_t row = 0; row < kernels.size(); ++row) {
    if (kernels.start_ns[row] < window.start_ns || kernels.start_ns[row] >= window.end_ns) continue;
    std::uint8_t& is_known = known[kernels.name[row].value];
    if (is_known == 0) is_known = is_collective(trace.text(kernels.name[row])) ? 2 : 1;
    if (is_known == 2) by_name[kernels.name[row]].push_back(row);
  }
  Matcher matcher(trace, found);
  for (const auto& [name, rows] : by_name) matcher.match(rows);
  std::stable_sort(found.matched.begin(), found.matched.end(), [](const Collective& a, const Collective& b) { return a.meeting_ns < b.meeting_ns; });
  return found;
}

}  // namespace gputrace::analyzer
