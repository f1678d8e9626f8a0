#include "collector/spool_convert.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "collector/record_converter.h"
#include "collector/spool_accounts.h"
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

AxisOffsets axis_offsets(SpoolReader& reader, std::int64_t zero_realtime_ns) {
  AxisOffsets offsets{difference(0, zero_realtime_ns), difference(0, zero_realtime_ns)};
  if (const auto clock = find_clock(reader)) {
    const std::int64_t ahead_ns = difference(clock->realtime_ns, clock->cupti_ns);
    if (ahead_ns > spool::kSameClockNs || ahead_ns < -spool::kSameClockNs)
      offsets.cupti_ns = difference(offsets.cupti_ns, difference(0, ahead_ns));
  }
  return offsets;
}

// Of all workers together.
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
    const std::lock_guard held(lock_);
    done_ += bytes;
    if (!report_ || done_ < next_) return;
    next_ = done_ + kProgressBytes;
    report_(total_ == 0 ? 1.0 : std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_)));
  }

 private:
  const std::function<void(double)>& report_;
  std::mutex lock_;  // of what follows, and of the reports
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
  account(spool.path, spool.reader, converter.process_name(), assembly);
}

unsigned worker_count(const ConvertOptions& options, std::size_t spools) {
  constexpr unsigned kMost = 8;  // a writer has no more parts; SQLite's own share of the work is one at a time anyhow
  const unsigned wanted = options.workers != 0 ? options.workers : std::max(1U, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::min<std::size_t>({wanted, kMost, spools}));
}

// Each worker takes the next spool, and writes rows by a writer of its own. The accounts are put together in the spools' order, so
// that they are the same whoever was faster.
void convert_by_many(std::vector<OpenSpool>& spools, std::int64_t zero_ns, unsigned workers, TraceAssembly& assembly, Progress& progress) {
  std::vector<std::unique_ptr<TraceAssembly>> accounts(spools.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    trace::TraceWriter writer = assembly.writer.part();
    for (std::size_t i = next++; i < spools.size(); i = next++) {
      accounts[i] = std::make_unique<TraceAssembly>(writer);
      convert(spools[i], zero_ns, *accounts[i], progress);
    }
    writer.finish_part();
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < workers; ++i) threads.emplace_back(work);
    work();
  }
  for (auto& account : accounts) assembly.take_over(std::move(*account));
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
  if (const unsigned workers = worker_count(options, spools->size()); workers > 1) {
    convert_by_many(*spools, zero_ns, workers, assembly, progress);
  } else {
    for (OpenSpool& spool : *spools) convert(spool, zero_ns, assembly, progress);
  }

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
