#include "trace/placement_line.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace gputrace::trace {
namespace {

constexpr std::size_t kLongestNameBytes = 4096;

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t") + 1 - start);
}

// "... I tensorflow/core/common_runtime/placer.cc:54] " before the message; a "]" of the message itself stays.
std::string_view without_logger_prefix(std::string_view line) {
  const std::size_t source = line.find(".cc:"), bracket = line.find("] ");
  const bool is_prefixed = source != std::string_view::npos && bracket != std::string_view::npos && source < bracket;
  return is_prefixed ? line.substr(bracket + 2) : line;
}

bool is_device(std::string_view text) {
  constexpr std::string_view kStarts[] = {"/job:", "/device:", "/gpu:", "/cpu:", "/GPU:", "/CPU:"};
  if (text.find(' ') != std::string_view::npos) return false;
  return std::any_of(std::begin(kStarts), std::end(kStarts), [text](auto start) { return text.starts_with(start); });
}

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= kLongestNameBytes && text.find(' ') == std::string_view::npos;
}

std::optional<OpPlacement> eager(std::string_view text) {
  constexpr std::string_view kStart = "Executing op ", kMiddle = " in device ";
  const std::size_t middle = text.find(kMiddle);
  if (!text.starts_with(kStart) || middle == std::string_view::npos) return std::nullopt;
  const std::string_view type = text.substr(kStart.size(), middle - kStart.size());
  const std::string_view device = trimmed(text.substr(middle + kMiddle.size()));
  if (!is_word(type) || !is_device(device)) return std::nullopt;
  return OpPlacement{.op_name = std::string(type), .op_type = std::string(type), .requested_device = {}, .device = std::string(device)};
}

// Takes "(Conv2D)" from the front of the text; "" where there is none.
std::string_view take_type(std::string_view& text) {
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) return {};
  const std::string_view type = text.substr(1, close - 1);
  text.remove_prefix(close + 1);
  return type;
}

std::optional<OpPlacement> placed(std::string_view text) {
  const std::size_t colon = text.find(": ");
  if (colon == std::string_view::npos || !is_word(text.substr(0, colon))) return std::nullopt;
  const std::string_view name = text.substr(0, colon);
  text.remove_prefix(colon + 2);
  const std::string_view type = take_type(text);
  if (text.starts_with(':')) text.remove_prefix(1);
  const std::string_view device = trimmed(text);
  if (!is_device(device)) return std::nullopt;
  return OpPlacement{.op_name = std::string(name), .op_type = std::string(type), .requested_device = {}, .device = std::string(device)};
}

std::optional<OpPlacement> asked(std::string_view text) {
  constexpr std::string_view kAssigned = "framework assigned device=";
  const std::size_t open = text.find(" (");
  if (open == std::string_view::npos || !is_word(text.substr(0, open))) return std::nullopt;
  OpPlacement placement{.op_name = std::string(text.substr(0, open)), .op_type = {}, .requested_device = {}, .device = {}};
  text.remove_prefix(open + 1);
  placement.op_type = take_type(text);
  const std::size_t assigned = text.find(kAssigned);
  const std::string_view requested = trimmed(text.substr(0, assigned));
  if (assigned != std::string_view::npos) placement.device = trimmed(text.substr(assigned + kAssigned.size()));
  if (placement.op_type.empty() || (requested.empty() && placement.device.empty())) return std::nullopt;
  if ((!requested.empty() && !is_device(requested)) || (!placement.device.empty() && !is_device(placement.device))) return std::nullopt;
  placement.requested_device = requested;
  return placement;
}

// "GeForce GTX 1060" of ", name: GeForce GTX 1060, pci bus id: ...".
std::string_view field(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  return trimmed(text.substr(0, text.find(',')));
}

}  // namespace

std::optional<OpPlacement> parse_placement_line(std::string_view line) {
  const std::string_view text = trimmed(without_logger_prefix(line));
  if (auto placement = eager(text)) return placement;
  if (auto placement = placed(text)) return placement;
  return asked(text);
}

std::optional<Gpu> parse_device_mapping_line(std::string_view line) {
  const std::string_view text = trimmed(without_logger_prefix(line));
  constexpr std::string_view kArrow = " -> device: ";
  const std::size_t arrow = text.find(kArrow);
  if (arrow == std::string_view::npos || !is_device(text.substr(0, arrow))) return std::nullopt;
  const std::string_view number = text.substr(arrow + kArrow.size());
  Gpu gpu;
  if (std::from_chars(number.data(), number.data() + number.size(), gpu.device.value).ec != std::errc{}) return std::nullopt;
  gpu.name = field(text, "name: ");
  gpu.bus_location = field(text, "pci bus id: ");
  const std::string_view capability = field(text, "compute capability: ");
  const std::size_t dot = std::min(capability.find('.'), capability.size());
  std::from_chars(capability.data(), capability.data() + dot, gpu.compute_major);
  if (dot < capability.size()) std::from_chars(capability.data() + dot + 1, capability.data() + capability.size(), gpu.compute_minor);
  return gpu;
}

}  // namespace gputrace::trace
