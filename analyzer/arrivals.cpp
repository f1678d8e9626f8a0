#include "analyzer/arrivals.h"

#include <algorithm>
#include <map>

namespace gputrace::analyzer {
namespace {

// Kernels of one name that may still be joined: all run at some instant.
struct Open {
  std::vector<std::uint32_t> kernels;
  std::int64_t first_end_ns = INT64_MAX;
};

bool sends_and_receives(const Explanation& kernel) { return kernel.operation == "send and receive"; }

bool has_device(const trace::Kernels& kernels, const Open& open, trace::DeviceId device) {
  return std::any_of(open.kernels.begin(), open.kernels.end(), [&](std::uint32_t row) { return kernels.device[row] == device; });
}

void close(const trace::Kernels& kernels, const Open& open, bool sends, std::vector<Arrivals>& found) {
  if (open.kernels.size() < (sends ? 3u : 2u)) return;
  Arrivals collective{.kernels = open.kernels};
  collective.last_ns = kernels.start_ns[open.kernels.back()];
  collective.late_ns = collective.last_ns - kernels.start_ns[open.kernels[open.kernels.size() - 2]];
  for (const std::uint32_t row : open.kernels) collective.waited_ns += collective.last_ns - kernels.start_ns[row];
  collective.waited_ns /= static_cast<std::int64_t>(open.kernels.size() - 1);
  found.push_back(std::move(collective));
}

// Of the time from `from_ns` to `to_ns`, the share that kernels of the device cover which begin in it.
double kernel_share(const trace::Kernels& kernels, trace::DeviceId device, std::int64_t from_ns, std::int64_t to_ns) {
  if (to_ns <= from_ns) return 0;
  std::int64_t covered_ns = 0, until_ns = from_ns;
  const auto first = std::lower_bound(kernels.start_ns.begin(), kernels.start_ns.end(), from_ns) - kernels.start_ns.begin();
  for (auto i = static_cast<std::size_t>(first); i < kernels.size() && kernels.start_ns[i] < to_ns; ++i) {
    if (kernels.device[i] != device) continue;
    const std::int64_t start_ns = std::max(until_ns, kernels.start_ns[i]), end_ns = std::min(to_ns, kernels.end_ns[i]);
    if (end_ns > start_ns) covered_ns += end_ns - start_ns, until_ns = end_ns;
  }
  return static_cast<double>(covered_ns) / static_cast<double>(to_ns - from_ns);
}

}  // namespace

std::vector<Arrivals> find_arrivals(const trace::Trace& trace, const Metrics& metrics) {
  const trace::Kernels& kernels = trace.kernels;
  std::map<std::uint32_t, std::vector<Open>> open_by_name;
  std::vector<Arrivals> found;
  for (std::uint32_t i = 0; i < kernels.size(); ++i) {
    if (!metrics.is_communication[kernels.name[i].value] || !metrics.holds(kernels.span(i))) continue;
    const bool sends = sends_and_receives(metrics.kernels.of(kernels.name[i]));
    std::vector<Open>& open = open_by_name[kernels.name[i].value];
    std::erase_if(open, [&](const Open& it) {
      const bool over = it.first_end_ns <= kernels.start_ns[i];
      if (over) close(kernels, it, sends, found);
      return over;
    });
    auto joined = std::find_if(open.begin(), open.end(), [&](const Open& it) { return !has_device(kernels, it, kernels.device[i]); });
    if (joined == open.end()) joined = open.insert(open.end(), Open{});
    joined->kernels.push_back(i);
    joined->first_end_ns = std::min(joined->first_end_ns, kernels.end_ns[i]);
  }
  for (const auto& [name, open] : open_by_name)
    for (const Open& it : open) close(kernels, it, sends_and_receives(metrics.kernels.of(trace::StringId{name})), found);
  std::sort(found.begin(), found.end(), [](const Arrivals& a, const Arrivals& b) { return a.last_ns < b.last_ns; });
  return found;
}

std::vector<LateGpu> late_gpus(const trace::Trace& trace, const std::vector<Arrivals>& collectives, std::int64_t agree_ns) {
  const trace::Kernels& kernels = trace.kernels;
  std::map<trace::DeviceId, LateGpu> late;
  std::map<trace::DeviceId, std::int64_t> before_ns;  // end of the collective before
  std::map<trace::DeviceId, std::pair<double, double>> computing;
  for (const Arrivals& collective : collectives) {
    const std::uint32_t last = collective.last();
    const trace::DeviceId device = kernels.device[last];
    if (collective.waited_ns > agree_ns) {
      LateGpu& gpu = late[device];
      gpu.device = device;
      ++gpu.last_to;
      gpu.late_ns += collective.late_ns;
      gpu.waited_ns += collective.waited_ns;
      gpu.kernels.push_back(last);
      const auto before = before_ns.find(device);
      const std::int64_t from_ns = before != before_ns.end() ? before->second : kernels.start_ns[collective.kernels.front()];
      const auto weight = static_cast<double>(collective.waited_ns);
      computing[device].first += weight * kernel_share(kernels, device, from_ns, collective.last_ns);
      computing[device].second += weight;
    }
    for (const std::uint32_t row : collective.kernels) before_ns[kernels.device[row]] = kernels.end_ns[row];
  }
  std::vector<LateGpu> gpus;
  for (auto& [device, gpu] : late) {
    gpu.of = collectives.size();
    gpu.computing_before = computing[device].second > 0 ? computing[device].first / computing[device].second : 0;
    gpus.push_back(std::move(gpu));
  }
  std::stable_sort(gpus.begin(), gpus.end(), [](const LateGpu& a, const LateGpu& b) { return a.waited_ns > b.waited_ns; });
  return gpus;
}

}  // namespace gputrace::analyzer
