#include "collector/guest/process_description.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputrace::guest {

namespace {

std::string read_file(const char* path) {
  std::string text;
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return text;
  std::array<char, 4096> piece;
  for (ssize_t got; (got = read(descriptor, piece.data(), piece.size())) > 0 && text.size() < (64 << 10);) {
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  close(descriptor);
  return text;
}

std::vector<std::pair<const char*, std::string>> describe(const CaptureRules& rules) {
  std::vector<std::pair<const char*, std::string>> settings;
  if (rules.from_realtime_ns != 0) settings.emplace_back("capture_from_utc_ns", std::to_string(rules.from_realtime_ns));
  if (rules.duration_ns != 0) settings.emplace_back("capture_duration_ns", std::to_string(rules.duration_ns));
  if (rules.trigger == CaptureRules::Trigger::profiler_api) settings.emplace_back("capture_range", "profiler-api");
  if (rules.trigger == CaptureRules::Trigger::nvtx_range) {
    settings.emplace_back("capture_range", "nvtx:" + rules.range + (rules.domain.empty() ? "" : "@" + rules.domain));
  }
  if (rules.trigger == CaptureRules::Trigger::by_switch) settings.emplace_back("capture_range", "signal");
  if (rules.until_steps != 0) settings.emplace_back("capture_until_steps", std::to_string(rules.until_steps));
  return settings;
}

}  // namespace

void describe_process(const Options& options, Lane& lane) {
  const auto setting = [&](std::string_view key, std::string_view value) {
    spool::SettingRecord record{};
    record.key = lane.text(key);
    record.value = lane.text(value);
    lane.write(spool::RecordType::setting, record);
  };
  std::array<char, PATH_MAX> executable{};
  const ssize_t length = readlink("/proc/self/exe", executable.data(), executable.size());
  setting("executable", {executable.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))});
  std::string command_line = read_file("/proc/self/cmdline");
  while (!command_line.empty() && command_line.back() == '\0') command_line.pop_back();
  std::replace(command_line.begin(), command_line.end(), '\0', ' ');
  setting("command_line", command_line);
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) setting("host", host.data());
  for (const auto& [name, value] : options.environment) setting(name, value);
  for (const auto& [name, value] : describe(options.capture)) setting(name, value);
  // NVTX asks for us at its first use, so a process that never asks has no NVTX events rather than unrecorded ones.
  if (options.nvtx) lane.write(spool::RecordType::captured, spool::CapturedRecord{{.id = spool::kNvtxKind}, 0, 0});
}

}  // namespace gputrace::guest
