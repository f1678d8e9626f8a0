#include "cli/spool_to_trace.h"

#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

#include "collector/spool_convert.h"

namespace gputrace::cli {

namespace {

constexpr const char* kEraseLine = "\r\033[K";

void say(const std::string& text) { fmt::print(stderr, "gputrace: {}\n", text); }

void show_progress(double share) {
  fmt::print(stderr, "{}gputrace: writing the trace: {:.0f} %", kEraseLine, share * 100);
  std::fflush(stderr);
}

}  // namespace

Result<void> spool_to_trace(const std::filesystem::path& folder, const std::filesystem::path& trace, bool overwrite,
                            const std::string& missing) {
  const bool on_terminal = isatty(STDERR_FILENO) == 1;
  collector::ConvertOptions options{trace, overwrite, {}, missing};
  if (on_terminal) options.progress = show_progress;
  const auto summary = collector::convert_spools(folder, options);
  if (on_terminal) fmt::print(stderr, "{}", kEraseLine);
  if (!summary) return tl::unexpected(summary.error());
  for (const std::string& note : summary->notes) say(note);
  if (!summary->complete) say("the recording is not complete: " + summary->incomplete_why);
  if (summary->dropped_records != 0) {
    say(fmt::format("{} records were dropped; record with a larger --buffer-mb", summary->dropped_records));
  }
  if (summary->cut_events != 0) {
    say(fmt::format("{} events outside the capture window were left out, as asked", summary->cut_events));
  }
  say(fmt::format("wrote {}: {} events of {} process{}", trace.string(), summary->records, summary->processes,
                  summary->processes == 1 ? "" : "es"));
  return {};
}

}  // namespace gputrace::cli
