#include "cli/threshold_file.h"

#include <fstream>
#include <iterator>

#include <fmt/format.h>
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace gputrace::cli {

Result<analyzer::ThresholdSettings> read_thresholds(const std::filesystem::path& path) {
  analyzer::ThresholdSettings settings;
  if (path.empty()) return settings;
  const std::string next = "gputrace report --explain-thresholds lists them";
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) return fail("cannot read these thresholds", path.string(), next);
  const toml::parse_result parsed = toml::parse(text, path.string());
  if (!parsed) return fail(fmt::format("is no TOML: line {}: {}", parsed.error().source().begin.line, parsed.error().description()), path.string(), next);
  for (const auto& [key, node] : parsed.table()) {
    const std::string name(key.str());
    const std::string line = fmt::format("line {}: ", key.source().begin.line);
    const auto value = node.value<double>();
    if (!node.is_number() || !value) return fail(line + name + " is no number", path.string(), next);
    if (const auto set = settings.set(name, *value); !set) return fail(line + set.error(), path.string(), next);
  }
  return settings;
}

}  // namespace gputrace::cli
