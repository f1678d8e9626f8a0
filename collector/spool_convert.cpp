#include "collector/spool_convert.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "collector/record_converter.h"
#include "collector/spool_reader.h"
#include "collector/trace_assembly.h"
#include "trace/trace_writer.h"

namespace gputrace::collector {

namespace {

constexpr std::uint64_t kProgressBytes = 4 << 20;

struct OpenSpool {
  std::filesystem::path path;
  SpoolReader reader;
  std::map<std::uint64_t, std::filesystem::path> segments;  // opened in turn: there may be many spools
};

// N of "NAME.spool.N"; none for another name.
std::optional<std::uint64_t> segment_number(const std::filesystem::path& path) {
  const std::string number = path.extension().string();
  std::uint64_t value = 0;
  if (number.size() < 2 || path.stem().extension() != spool::kSuffix) return std::nullopt;
  const auto parsed = std::from_chars(number.data() + 1, number.data() + number.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size()) return std::nullopt;
  return value;
}

Result<std::vector<OpenSpool>> open_spools(const std::filesystem::path& folder, TraceAssembly& assembly) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  std::map<std::filesystem::path, std::map<std::uint64_t, std::filesystem::path>> segments;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const auto& path = entry->path();
    if (path.extension() == spool::kSuffix) paths.push_back(path);
    if (const auto number = segment_number(path)) segments[path.parent_path() / path.stem()][*number] = path;
  }
  if (error) return fail("cannot read the folder: " + error.message(), folder.string());
  std::sort(paths.begin(), paths.end());
  std::vector<OpenSpool> spools;
  std::optional<Error> first_error;
  for (const auto& path : paths) {
    auto reader = SpoolReader::open(path);
    if (reader) {
      spools.push_back({path, std::move(*reader), std::move(segments[path])});
    } else {
      assembly.cut_short(reader.error().line());
      if (!first_error) first_error = reader.error();
    }
  }
  if (!spools.empty()) return spools;
  if (first_error) return tl::unexpected(*first_error);
  return fail("no process was recorded: none used CUDA or NVTX", folder.string());
}

// Where CUPTI's clock stood against CLOCK_REALTIME in this process, if it said so.
std::optional<spool::ClockRecord> find_clock(SpoolReader& reader) {
  std::optional<spool::ClockRecord> clock;
  for (SpoolReader::Block block; !clock && reader.next(block);) {
    for_each_record(block.payload, [&](const spool::RecordHeader& header, std::span<const std::uint8_t> bytes) {
      if (header.type == spool::RecordType::clock && !clock) clock = record_as<spool::ClockRecord>(bytes);
    });
  }
  reader.rewind();
  return clock;
}

// Unsigned, so that damaged times wrap instead of overflowing.
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

AxisOffsets axis_offsets(SpoolReader& reader, std::int64_t zero_realtime_ns) {
  AxisOffsets offsets{difference(0, zero_realtime_ns), difference(0, zero_realtime_ns)};
  if (const auto clock = find_clock(reader)) {
    const std::int64_t ahead_ns = difference(clock->realtime_ns, clock->cupti_ns);
    if (ahead_ns > spool::kSameClockNs || ahead_ns < -spool::kSameClockNs)
      offsets.cupti_ns = difference(offsets.cupti_ns, difference(0, ahead_ns));
  }
  return offsets;
}

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

void account(const OpenSpool& spool, const std::string& name, TraceAssembly& assembly) {
  const spool::FileHeader& header = spool.reader.header();
  if (!spool.reader.header_is_intact()) {
    assembly.cut_short(spool.path.filename().string() + ": its header is damaged");
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
  if (!spool.reader.damage().empty()) assembly.cut_short(spool.path.filename().string() + ": " + spool.reader.damage());
}

class Progress {
 public:
  Progress(const std::vector<OpenSpool>& spools, const std::function<void(double)>& report) : report_(report) {
    for (const OpenSpool& spool : spools) {
      total_ += spool.reader.size_bytes();
      std::error_code ignored;  // of a share of the whole
      for (const auto& [number, path] : spool.segments) total_ += std::filesystem::file_size(path, ignored);
    }
  }
  void advance(std::uint64_t bytes) {
    done_ += bytes;
    if (!report_ || done_ < next_) return;
    next_ = done_ + kProgressBytes;
    report_(total_ == 0 ? 1.0 : std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_)));
  }

 private:
  const std::function<void(double)>& report_;
  std::uint64_t total_ = 0, done_ = 0, next_ = 0;
};

void convert_blocks(SpoolReader& reader, const std::filesystem::path& path, RecordConverter& converter,
                    TraceAssembly& assembly, Progress& progress) {
  bool whole = true;
  for (SpoolReader::Block block; whole && reader.next(block);) {
    whole = converter.convert_block(block.lane, block.payload);
    progress.advance(block.payload.size());
  }
  if (!whole) assembly.cut_short(path.filename().string() + ": a record is damaged");
}

void convert(OpenSpool& spool, std::int64_t zero_ns, TraceAssembly& assembly, Progress& progress) {
  RecordConverter converter(assembly, spool.reader.header().pid, axis_offsets(spool.reader, zero_ns));
  convert_blocks(spool.reader, spool.path, converter, assembly, progress);
  for (const auto& [number, path] : spool.segments) {
    auto segment = SpoolReader::open(path);
    if (!segment) {
      assembly.cut_short(segment.error().line());
      continue;
    }
    convert_blocks(*segment, path, converter, assembly, progress);
    if (!segment->damage().empty()) assembly.cut_short(path.filename().string() + ": " + segment->damage());
  }
  converter.finish(spool.reader.header().let_go_events != 0);
  account(spool, converter.process_name(), assembly);
}

}  // namespace

Result<ConvertSummary> convert_spools(const std::filesystem::path& folder, const ConvertOptions& options) {
  auto writer = trace::TraceWriter::create(options.output, options.overwrite);
  if (!writer) return tl::unexpected(writer.error());
  TraceAssembly assembly(*writer);
  auto spools = open_spools(folder, assembly);
  if (!spools) return tl::unexpected(spools.error());

  if (!options.missing.empty()) assembly.cut_short(options.missing);

  std::int64_t zero_ns = INT64_MAX;
  for (const OpenSpool& spool : *spools) zero_ns = std::min(zero_ns, spool.reader.header().start_realtime_ns);
  Progress progress(*spools, options.progress);
  for (OpenSpool& spool : *spools) convert(spool, zero_ns, assembly, progress);

  trace::Metadata metadata;
  metadata.producer = "gputrace " GPUTRACE_VERSION;
  metadata.start_utc_ns = zero_ns;
  assembly.finish(metadata);
  if (auto written = writer->finish(metadata); !written) return tl::unexpected(written.error());
  if (options.progress) options.progress(1.0);
  return ConvertSummary{assembly.records, assembly.dropped_records, static_cast<int>(spools->size()), metadata.complete,
                        metadata.incomplete_why, assembly.cut_events, assembly.notes()};
}

}  // namespace gputrace::collector
