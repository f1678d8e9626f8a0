#include "collector/spool_accounts.h"

#include <signal.h>

#include <cstring>
#include <system_error>

#include <fmt/format.h>

namespace gputrace::collector {

namespace {

std::string who(const spool::FileHeader& header, const std::string& name) {
  return name.empty() ? fmt::format("process {}", header.pid) : fmt::format("process {} ({})", header.pid, name);
}

// What was asked for is no loss, but the trace says it.
void account_for_windows(const spool::FileHeader& header, const std::string& name, TraceAssembly& assembly) {
  if (header.capture_limited == 0) return;
  const std::string process = fmt::format("PROCESS_{}_capture_", header.pid);
  assembly.writer.capture_setting(process + "windows", std::to_string(header.capture_windows));
  assembly.writer.capture_setting(process + "cut_events", std::to_string(header.cut_events));
  assembly.cut_events += static_cast<std::int64_t>(header.cut_events);
  if (header.capture_windows == 0) {
    assembly.note(who(header, name) + ": the capture window that was asked for never opened, so none of its events were kept");
  }
}

void account_for_what_was_let_go(const spool::FileHeader& header, const std::string& name, TraceAssembly& assembly) {
  if (header.let_go_events == 0) return;
  const double seconds = static_cast<double>(difference(header.let_go_until_realtime_ns, header.start_realtime_ns)) / 1e9;
  assembly.writer.capture_setting(fmt::format("PROCESS_{}_let_go_events", header.pid), std::to_string(header.let_go_events));
  assembly.cut_short(fmt::format("{}: its first {:.1f} s, {} events, were let go, as record --keep asks", who(header, name),
                                 seconds, header.let_go_events));
}

}  // namespace

void account(const std::filesystem::path& path, const SpoolReader& reader, const std::string& name, TraceAssembly& assembly) {
  const spool::FileHeader& header = reader.header();
  if (!reader.header_is_intact()) {
    assembly.cut_short(path.filename().string() + ": its header is damaged");
  } else {
    assembly.dropped_records +=
        static_cast<std::int64_t>(header.dropped_by_cupti + header.dropped_no_buffer + header.dropped_write_failed);
    assembly.count("records that CUPTI dropped", static_cast<std::int64_t>(header.dropped_by_cupti));
    assembly.count("records dropped for want of a free buffer (record --buffer-mb)",
                   static_cast<std::int64_t>(header.dropped_no_buffer));
    assembly.count("records dropped because the spool could not be written",
                   static_cast<std::int64_t>(header.dropped_write_failed));
    assembly.count("times that CUPTI found no free buffer (record --buffer-mb)",
                   static_cast<std::int64_t>(header.refused_cupti_buffers));
    account_for_windows(header, name, assembly);
    account_for_what_was_let_go(header, name, assembly);
    if (header.switched_off_in[0] != '\0') {
      assembly.cut_short(
          who(header, name) + ": recording stopped by an internal error in " +
          std::string(header.switched_off_in, strnlen(header.switched_off_in, sizeof header.switched_off_in)));
    }
    if (header.state == spool::State::write_failed) {
      assembly.cut_short(who(header, name) + ": its spool could not be written further: " +
                         std::generic_category().message(header.write_errno));
    } else if (header.state != spool::State::finished) {
      const bool runs = header.pid > 0 && kill(header.pid, 0) == 0;
      assembly.cut_short(who(header, name) + (runs ? " still runs" : " was killed, crashed, or left by _exit or exec") +
                         fmt::format(": up to its last {} ms are missing", header.flush_period_ms));
    }
  }
  if (!reader.damage().empty()) assembly.cut_short(path.filename().string() + ": " + reader.damage());
}

}  // namespace gputrace::collector
