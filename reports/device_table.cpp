#include "reports/device_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "reports/quantities.h"
#include "reports/wording.h"

namespace gputrace::reports {
namespace {

double share_of(const analyzer::DeviceReport& device, const std::string& key) {
  return static_cast<double>(part_ns(device, key)) / static_cast<double>(sum_ns(device.parts));
}

// "0 to 2, 6": a range only where none is left out.
std::string numbers(const Devices& devices, std::size_t first, std::size_t end) {
  std::string text;
  for (std::size_t i = first; i < end;) {
    std::size_t last = i;
    while (last + 1 < end && devices[last + 1]->device.value == devices[last]->device.value + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", devices[i]->device.value);
    if (last > i) text += fmt::format(" to {}", devices[last]->device.value);
    i = last + 1;
  }
  return text;
}

template <class Cell>
DeviceRow row_of(std::string label, const Devices& devices, Cell cell) {
  DeviceRow row{.label = std::move(label), .cells = {}};
  for (const auto* device : devices) row.cells.push_back(cell(*device));
  return row;
}

}  // namespace

Devices used_devices(const analyzer::Diagnosis& diagnosis) {
  Devices used;
  for (const auto& device : diagnosis.devices) {
    if (device.used) used.push_back(&device);
  }
  return used;
}

std::string device_names(const analyzer::Diagnosis& diagnosis) {
  const Devices devices = used_devices(diagnosis);
  std::string text;
  for (std::size_t first = 0; first < devices.size();) {
    std::size_t end = first + 1;
    while (end < devices.size() && devices[end]->name == devices[first]->name) ++end;
    if (!text.empty()) text += ", ";
    text += "GPU " + numbers(devices, first, end) + ": " + (devices[first]->name.empty() ? "name not captured" : devices[first]->name);
    first = end;
  }
  const std::size_t idle = diagnosis.devices.size() - devices.size();
  if (idle > 0) text += fmt::format("; {} more GPU{} listed but not used", idle, idle == 1 ? " is" : "s are");
  return text;
}

std::vector<std::string> part_keys(const Devices& devices) {
  std::vector<std::string> keys;
  for (const auto* device : devices) {
    for (const auto& part : device->parts) {
      if (std::find(keys.begin(), keys.end(), part.key) == keys.end()) keys.push_back(part.key);
    }
  }
  return keys;
}

std::int64_t part_ns(const analyzer::DeviceReport& device, const std::string& key) {
  std::int64_t time_ns = 0;
  for (const auto& part : device.parts) time_ns += part.key == key ? part.ns : 0;
  return time_ns;
}

std::vector<DeviceRow> device_rows(const std::vector<std::string>& keys, const Devices& devices) {
  std::vector<DeviceRow> rows;
  for (const auto& key : keys) {
    rows.push_back(row_of(part_label(key), devices, [&key](const auto& device) {
      return sum_ns(device.parts) > 0 ? percent(share_of(device, key)) : "-";
    }));
    rows.back().is_part = true;
  }
  rows.push_back(row_of("sum", devices, [](const auto& device) {
    return device.parts.empty() ? "-" : duration(static_cast<double>(sum_ns(device.parts)));
  }));
  rows.push_back(row_of("compute utilization", devices, [](const auto& d) { return percent(d.compute_utilization); }));
  rows.push_back(row_of("kernel concurrency", devices, [](const auto& d) { return percent(d.kernel_concurrency); }));
  rows.push_back(row_of("copy overlap", devices, [](const auto& d) { return percent(d.copy_overlap); }));
  return rows;
}

}  // namespace gputrace::reports
