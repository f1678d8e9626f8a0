#include "collector/spool_convert.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "collector/record_converter.h"
#include "collector/spool_reader.h"
#include "collector/trace_assembly.h"
#include "trace/trace_writer.h"

namespace gputrace::collector {

namespace {

constexpr std::int64_t kSameClockNs = 1000;      // two readings in a row differ by less
constexpr std::uint64_t kProgressBytes = 4 << 20;

struct OpenSpool {
  std::filesystem::path path;
  SpoolReader reader;
};

Result<std::vector<OpenSpool>> open_spools(const std::filesystem::path& folder, TraceAssembly& assembly) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == spool::kSuffix) paths.push_back(entry->path());
  }
  if (error) return fail("cannot read the folder: " + error.message(), folder.string());
  std::sort(paths.begin(), paths.end());
  std::vector<OpenSpool> spools;
  std::optional<Error> first_error;
  for (const auto& path : paths) {
    auto reader = SpoolReader::open(path);
    if (reader) {
      spools.push_back({path, std::move(*reader)});
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
    if (ahead_ns > kSameClockNs || ahead_ns < -kSameClockNs)
      offsets.cupti_ns = difference(offsets.cupti_ns, difference(0, ahead_ns));
  }
  return offsets;
}

std::string who(const spool::FileHeader& header, const std::string& name) {
  return name.empty() ? fmt::format("process {}", header.pid) : fmt::format("process {} ({})", header.pid, name);
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
    for (const OpenSpool& spool : spools) total_ += spool.reader.size_bytes();
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

void convert(OpenSpool& spool, std::int64_t zero_ns, TraceAssembly& assembly, Progress& progress) {
  RecordConverter converter(assembly, spool.reader.header().pid, axis_offsets(spool.reader, zero_ns));
  bool whole = true;
  for (SpoolReader::Block block; whole && spool.reader.next(block);) {
    whole = converter.convert_block(block.lane, block.payload);
    progress.advance(block.payload.size());
  }
  if (!whole) assembly.cut_short(spool.path.filename().string() + ": a record is damaged");
  converter.finish();
  account(spool, converter.process_name(), assembly);
}

}  // namespace

Result<ConvertSummary> convert_spools(const std::filesystem::path& folder, const ConvertOptions& options) {
  auto writer = trace::TraceWriter::create(options.output, options.overwrite);
  if (!writer) return tl::unexpected(writer.error());
  TraceAssembly assembly(*writer);
  auto spools = open_spools(folder, assembly);
  if (!spools) return tl::unexpected(spools.error());

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
                        metadata.incomplete_why, assembly.notes()};
}

}  // namespace gputrace::collector
