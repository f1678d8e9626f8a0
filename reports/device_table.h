// Where each GPU's time goes, as rows of text that every format with tables shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/diagnosis.h"

namespace gputrace::reports {

using Devices = std::vector<const analyzer::DeviceReport*>;

Devices used_devices(const analyzer::Diagnosis& diagnosis);

// "GPU 0 to 3: V100, GPU 4: T4"; then how many more are listed but not used.
std::string device_names(const analyzer::Diagnosis& diagnosis);

// The keys of all devices' parts, each once, in the order in which they are first seen.
std::vector<std::string> part_keys(const Devices& devices);

std::int64_t part_ns(const analyzer::DeviceReport& device, const std::string& key);

struct DeviceRow {
  std::string label;
  std::vector<std::string> cells;  // one per device; "-" where not captured
  bool is_part = false;            // a share of the window; the others are the sum and the three ratios
};

std::vector<DeviceRow> device_rows(const std::vector<std::string>& keys, const Devices& devices);

}  // namespace gputrace::reports
