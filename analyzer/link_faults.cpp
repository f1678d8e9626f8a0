#include "analyzer/link_faults.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using trace::DeviceId;

constexpr std::int64_t kEnoughCopies = 3;
// Factors within this of each other are one factor: rates of like copies vary by 10 % or so.
constexpr double kSameFactor = 1.25;
// What remains unused where several GPUs share an uplink (packets of several sources): as in link_rates.cpp.
constexpr double kSharingLoss = 1.25;

// Of sorted values, the median of all but the one at `left_out`; there are at least two.
double median_without(const std::vector<double>& sorted, std::size_t left_out) {
  const auto at = [&](std::size_t i) { return sorted[i < left_out ? i : i + 1]; };
  const std::size_t count = sorted.size() - 1;
  return count % 2 == 1 ? at(count / 2) : (at(count / 2 - 1) + at(count / 2)) / 2;
}

std::map<int, std::vector<double>> sorted_by_kind(const std::vector<RateToCompare>& rates) {
  std::map<int, std::vector<double>> groups;
  for (const RateToCompare& rate : rates) groups[rate.like].push_back(rate.bytes_per_s);
  for (auto& [like, group] : groups) std::sort(group.begin(), group.end());
  return groups;
}

struct Direction {  // of one GPU, by the like copies that move most
  std::int64_t bytes = -1;
  double factor = 1;  // the others' median / own
  double bytes_per_s = 0;
  bool is_slow = false;
};

struct BothWays {
  Direction to_device, from_device;
  bool is_slow() const { return to_device.is_slow || from_device.is_slow; }
  bool both_known() const { return to_device.bytes >= 0 && from_device.bytes >= 0; }
};

bool same(double a, double b) { return std::max(a, b) <= kSameFactor * std::min(a, b); }

std::map<DeviceId, BothWays> compare(const std::vector<RateToCompare>& rates) {
  const auto shares = of_others(rates);
  std::map<DeviceId, BothWays> devices;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const RateToCompare& rate = rates[i];
    if (!shares[i] || *shares[i] <= 0 || rate.count < kEnoughCopies) continue;
    BothWays& device = devices[rate.device];
    Direction& direction = rate.to_device ? device.to_device : device.from_device;
    if (rate.bytes <= direction.bytes) continue;
    const double factor = 1 / *shares[i];
    const double explained = rate.shared_by > 1 ? kSharingLoss * rate.shared_by : 0;
    direction = {rate.bytes, factor, rate.bytes_per_s, factor >= std::max<double>(thresholds::kSlowLinkFactor, explained)};
  }
  return devices;
}

// Whether several GPUs are slower by one factor and several are not: they hang on another socket than the memory.
bool is_far_group(const std::map<DeviceId, BothWays>& devices) {
  const BothWays* first = nullptr;
  std::size_t slow = 0, fast = 0;
  for (const auto& [id, device] : devices) {
    if (!device.is_slow()) {
      ++fast;
      continue;
    }
    ++slow;
    if (!device.to_device.is_slow || !device.from_device.is_slow) return false;
    if (first == nullptr) first = &device;
    if (!same(device.to_device.factor, first->to_device.factor) || !same(device.from_device.factor, first->from_device.factor)) return false;
  }
  return slow >= 2 && fast >= 2;
}

// The median rate of the recorded links; 0 where fewer than two GPUs have one.
double usual_link(const Interconnect& interconnect, const std::map<DeviceId, BothWays>& devices) {
  std::vector<double> rates;
  for (const auto& [id, device] : devices) {
    if (const trace::Link* link = interconnect.narrowest(id)) rates.push_back(static_cast<double>(link->bytes_per_s));
  }
  if (rates.size() < 2) return 0;
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::nth_element(rates.begin(), middle, rates.end());
  return *middle;
}

std::string figures(const BothWays& device) {
  std::string text;
  const auto add = [&](const Direction& direction, const char* what) {
    if (direction.bytes < 0) return;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {:.2f} GB/s ({:.2f} times as slow as the others' median)", what, direction.bytes_per_s / 1e9, direction.factor);
  };
  add(device.to_device, "host to device");
  add(device.from_device, "device to host");
  return text;
}

struct Others {  // what is known of the GPUs together
  double usual_link_bytes_per_s = 0;
  bool far_group = false;
};

LinkFault judge(DeviceId id, const BothWays& device, const trace::Link* recorded, const Others& others) {
  LinkFault fault{.device = id, .kind = {}, .text = {}, .to_device_factor = {}, .from_device_factor = {}};
  if (device.to_device.bytes >= 0) fault.to_device_factor = device.to_device.factor;
  if (device.from_device.bytes >= 0) fault.from_device_factor = device.from_device.factor;
  std::string reason;
  if (recorded != nullptr && others.usual_link_bytes_per_s >= thresholds::kSlowLinkFactor * static_cast<double>(recorded->bytes_per_s)) {
    fault.kind = "narrow link";
    reason = fmt::format("its recorded link is narrower than the others' ({})", link_kind(*recorded));
  } else if (others.far_group) {
    fault.kind = "far socket";
    reason = "several GPUs are slower by the same factor both ways: the host memory is on the other socket";
  } else if (!device.both_known()) {
    fault.kind = "slow link";
    reason = "only one direction can be compared, so fewer lanes and memory on the other socket cannot be told apart";
  } else if (same(device.to_device.factor, device.from_device.factor)) {
    fault.kind = "narrow link";
    reason = "both directions are slower by the same factor: fewer lanes or a lower generation";
  } else {
    fault.kind = "far socket";
    reason = "the two directions are slower by different factors, which lanes do not do: the host memory is on the other socket";
  }
  fault.text = fmt::format("GPU {}: {}; {}", id.value, figures(device), reason);
  return fault;
}

}  // namespace

std::vector<std::optional<double>> of_others(const std::vector<RateToCompare>& rates) {
  const auto groups = sorted_by_kind(rates);
  std::vector<std::optional<double>> shares;
  for (const RateToCompare& rate : rates) {
    const std::vector<double>& group = groups.at(rate.like);
    shares.emplace_back();
    if (group.size() < 2) continue;
    const auto own = static_cast<std::size_t>(std::lower_bound(group.begin(), group.end(), rate.bytes_per_s) - group.begin());
    const double median = median_without(group, own);
    if (median > 0) shares.back() = rate.bytes_per_s / median;
  }
  return shares;
}

std::vector<LinkFault> link_faults(const Interconnect& interconnect, const std::vector<RateToCompare>& rates) {
  const auto devices = compare(rates);
  const Others others{usual_link(interconnect, devices), is_far_group(devices)};
  std::vector<LinkFault> faults;
  for (const auto& [id, device] : devices) {
    if (!device.is_slow()) continue;
    faults.push_back(judge(id, device, interconnect.narrowest(id), others));
    if (faults.size() == kMaxLinkRows) break;
  }
  return faults;
}

}  // namespace gputrace::analyzer
