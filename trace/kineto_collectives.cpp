#include "trace/kineto_collectives.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "trace/json_reader.h"

namespace gputrace::trace {
namespace {

constexpr std::size_t kMostGroupCharacters = 200;  // of the list of ranks

// Of a scalar type as PyTorch names it; 0: not known.
std::int64_t bytes_of(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 12> kTypes{{{"Float", 4}, {"Half", 2}, {"BFloat16", 2}, {"Double", 8}, {"Int", 4}, {"Long", 8},
                                                                              {"Short", 2}, {"Byte", 1}, {"Char", 1}, {"Bool", 1}, {"Float8_e4m3fn", 1},
                                                                              {"Float8_e5m2", 1}}};
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& known) { return known.first == type; });
  return found == kTypes.end() ? 0 : found->second;
}

struct Collective {
  std::string name, type, group;
  std::int64_t elements = 0, group_size = 0;
};

Collective read(std::string_view args) {
  Collective collective;
  for (JsonFields fields(args); fields.next();) {
    const std::string_view key = fields.key(), value = fields.value();
    if (key == "Collective name") collective.name = json_text(value);
    else if (key == "dtype") collective.type = json_text(value);
    else if (key == "In msg nelems") collective.elements = json_integer(value).value_or(0);
    else if (key == "Group size") collective.group_size = json_integer(value).value_or(0);
    else if (key == "Process Group Ranks") collective.group = json_text(value);
  }
  return collective;
}

}  // namespace

std::optional<std::string> collective_text(std::string_view name, std::string_view args) {
  if (name != "\"record_param_comms\"") return std::nullopt;
  const Collective collective = read(args);
  if (collective.name.empty()) return std::nullopt;
  std::string text = "record_param_comms, collective = " + collective.name;
  if (!collective.type.empty()) text += ", type = " + collective.type;
  const std::int64_t size = bytes_of(collective.type);
  if (collective.elements > 0) text += fmt::format(", elements = {}", collective.elements);
  if (collective.elements > 0 && size > 0 && collective.elements <= INT64_MAX / size) text += fmt::format(", bytes = {}", collective.elements * size);
  if (collective.group_size > 0) text += fmt::format(", group size = {}", collective.group_size);
  if (!collective.group.empty()) text += ", group = " + collective.group.substr(0, kMostGroupCharacters);
  return text;
}

}  // namespace gputrace::trace
