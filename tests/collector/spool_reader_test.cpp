// Spools that are whole, cut and damaged.
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "collector/checksum.h"
#include "collector/spool_convert.h"
#include "collector/spool_reader.h"
#include "tests/collector/recorded_child.h"

using namespace gputrace;
using namespace gputrace::tests;
using collector::SpoolReader;
using spool::RecordType;

namespace {

// A spool made by hand, one readable call a record.
class SpoolBytes {
 public:
  explicit SpoolBytes(std::int32_t pid = 77) {
    header.pid = pid;
    header.state = spool::State::finished;
    header.start_realtime_ns = 1'000;
  }
  template <class R>
  SpoolBytes& add(RecordType type, R record) {
    record.header.type = type;
    record.header.words = sizeof(R) / 8;
    return raw(&record, sizeof record);
  }
  SpoolBytes& text(std::uint32_t id, std::string text, std::uint32_t offset = 0) {
    const std::uint32_t bytes = static_cast<std::uint32_t>(text.size());
    text.resize((text.size() + 7) / 8 * 8);
    const spool::TextRecord record{
        {RecordType::text, 0, static_cast<std::uint16_t>(2 + text.size() / 8), id}, offset, bytes};
    raw(&record, sizeof record);
    return raw(text.data(), text.size());
  }
  SpoolBytes& raw(const void* data, std::size_t bytes) {
    payload_.append(static_cast<const char*>(data), bytes);
    return *this;
  }
  SpoolBytes& end_block(std::uint32_t lane = 1) {
    spool::BlockHeader block;
    block.payload_bytes = static_cast<std::uint32_t>(payload_.size());
    block.lane = lane;
    block.sequence = sequence_++;
    block.checksum = spool::checksum(payload_.data(), payload_.size(),
                                     spool::checksum(&block, offsetof(spool::BlockHeader, checksum)));
    blocks_.append(reinterpret_cast<const char*>(&block), sizeof block);
    blocks_ += payload_;
    payload_.clear();
    return *this;
  }
  std::string bytes() {
    if (!payload_.empty()) end_block();
    header.checksum = spool::checksum(&header, offsetof(spool::FileHeader, checksum));
    std::string file(spool::kHeaderBytes, '\0');
    std::memcpy(file.data(), &header, sizeof header);
    return file + blocks_;
  }
  spool::FileHeader header;

 private:
  std::string payload_, blocks_;
  std::uint32_t sequence_ = 0;
};

SpoolBytes sample() {
  SpoolBytes spool;
  spool.add(RecordType::thread, spool::ThreadRecord{{.id = 77}}).text(1, "_Z1fv").text(2, "range");
  spool::ShapeRecord shape;
  shape.header.id = 1;
  shape.name = 1;
  spool.add(RecordType::shape, shape);
  for (std::uint64_t i = 1; i <= 50; ++i) {
    spool::KernelRecord kernel;
    kernel.header.id = 1;
    kernel.start_ns = 1'000 * i;
    kernel.duration_ns = 10;
    spool.add(RecordType::kernel, kernel);
    if (i % 10 == 0) spool.end_block();
  }
  spool::NvtxRecord push;
  push.header.id = 2;
  push.time_ns = 1'000;
  spool.add(RecordType::nvtx_push, push);
  push.time_ns = 2'000;
  spool.add(RecordType::nvtx_pop, push);
  return spool;
}

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

Recording convert_bytes(const std::string& bytes) {
  const TemporaryFolder folder;
  write(folder.path() / "1.spool", bytes);
  return convert(folder.path());
}

}  // namespace

TEST_CASE("A spool made by hand becomes a trace") {
  const Recording run = convert_bytes(sample().bytes());
  REQUIRE(run.summary);
  CHECK(run.summary->complete);
  CHECK(run.trace.kernels.size() == 50);
  CHECK(run.trace.text(run.trace.kernels.name[0]) == "f()");
  CHECK(run.trace.kernels.start_ns[0] == 0);  // the axis begins with the recording
  REQUIRE(has_range(run.trace, "range"));
  CHECK(run.trace.nvtx.end_ns[0] - run.trace.nvtx.start_ns[0] == 1'000);
}

TEST_CASE("Wherever a spool is cut, what stands before the cut is read") {
  const std::string whole = sample().bytes();
  std::size_t last_kernels = 0;
  for (std::size_t size = spool::kHeaderBytes; size < whole.size(); size += 97) {
    const Recording run = convert_bytes(whole.substr(0, size));
    REQUIRE(run.summary);
    CHECK(run.trace.kernels.size() % 10 == 0);  // whole blocks
    CHECK(run.trace.kernels.size() >= last_kernels);
    last_kernels = run.trace.kernels.size();
  }
  CHECK(last_kernels == 50);
  const Recording cut = convert_bytes(whole.substr(0, whole.size() - 1));
  CHECK_FALSE(cut.summary->complete);
  CHECK_THAT(cut.summary->incomplete_why, Catch::Contains("a block is cut at byte"));
}

TEST_CASE("What is no spool is refused with a sentence") {
  for (const std::string& bytes :
       {std::string(), std::string("SQLite format 3"), std::string(8192, '\0'), std::string(100, 'G')}) {
    const Recording run = convert_bytes(bytes);
    REQUIRE_FALSE(run.summary);
    CHECK_THAT(run.summary.error().line(), Catch::Contains("not a spool"));
  }
  SpoolBytes newer = sample();
  newer.header.version = 99;
  CHECK_THAT(convert_bytes(newer.bytes()).summary.error().line(), Catch::Contains("another version"));
  const TemporaryFolder empty;
  CHECK_THAT(convert(empty.path()).summary.error().line(), Catch::Contains("no process was recorded"));
  CHECK_FALSE(convert("/nonexistent/spools").summary);
}

TEST_CASE("Flipped bits never crash the converter, and are noticed") {
  const std::string whole = sample().bytes();
  int unnoticed = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    std::string bytes = whole;
    for (unsigned flips = 1 + seed % 4; flips > 0; --flips) {
      bytes[random() % bytes.size()] ^= static_cast<char>(1 << (random() % 8));
    }
    const Recording run = convert_bytes(bytes);
    if (!run.summary) continue;
    CHECK(run.trace.kernels.size() <= 50);
    if (run.summary->complete && run.trace.kernels.size() != 50) ++unnoticed;
  }
  CHECK(unnoticed == 0);
}

TEST_CASE("Records that lie under a right checksum never crash the converter") {
  // An attacker can write checksums too: bits are flipped in payloads that are sealed afterwards.
  const std::string whole = sample().bytes();
  for (unsigned seed = 0; seed < 600; ++seed) {
    std::mt19937 random(seed);
    SpoolBytes spool;
    SpoolReader::Block block;
    const TemporaryFolder folder;
    write(folder.path() / "in.spool", whole);
    auto reader = SpoolReader::open(folder.path() / "in.spool");
    REQUIRE(reader);
    while (reader->next(block)) {
      std::string payload(block.payload.begin(), block.payload.end());
      for (int flips = 0; flips < 3; ++flips)
        payload[random() % payload.size()] ^= static_cast<char>(1 << (random() % 8));
      if (seed % 7 == 0)
        payload[8 * (random() % (payload.size() / 8))] = static_cast<char>(random() % 50);  // another type
      spool.raw(payload.data(), payload.size()).end_block(random() % 3 == 0 ? random() : 1);
    }
    const Recording run = convert_bytes(spool.bytes());
    CHECK((!run.summary || run.trace.kernels.size() <= 50));
  }
}

TEST_CASE("A damaged header costs the counters, not the records") {
  std::string bytes = sample().bytes();
  bytes[offsetof(spool::FileHeader, dropped_by_cupti)] ^= 1;
  const Recording run = convert_bytes(bytes);
  REQUIRE(run.summary);
  CHECK(run.trace.kernels.size() == 50);
  CHECK_FALSE(run.summary->complete);
  CHECK(run.summary->dropped_records == 0);
}

TEST_CASE("Dropped records are reported, by cause") {
  SpoolBytes spool = sample();
  spool.header.dropped_by_cupti = 3;
  spool.header.dropped_no_buffer = 4;
  const Recording run = convert_bytes(spool.bytes());
  REQUIRE(run.summary);
  CHECK(run.summary->dropped_records == 7);
  CHECK(run.trace.metadata.dropped_records == 7);
}

TEST_CASE("A text in pieces is joined; a piece that does not fit is left out") {
  SpoolBytes spool;
  spool.add(RecordType::thread, spool::ThreadRecord{{.id = 77}})
      .text(1, "first half, ")
      .text(1, "second half", 12)
      .text(1, "stray", 99);
  spool::NvtxRecord mark;
  mark.header.id = 1;
  spool.add(RecordType::nvtx_mark, mark);
  const Recording run = convert_bytes(spool.bytes());
  REQUIRE(run.summary);
  CHECK(has_range(run.trace, "first half, second half"));
  REQUIRE(run.trace.diagnostics.size() >= 1);
}

TEST_CASE("Spools of several processes become one trace on one axis") {
  const TemporaryFolder folder;
  SpoolBytes late(78);
  late.header.start_realtime_ns = 5'000;
  spool::NvtxRecord mark;
  mark.header.flags = spool::kRealtime;
  mark.time_ns = 6'000;
  late.add(RecordType::thread, spool::ThreadRecord{{.id = 78}}).add(RecordType::nvtx_mark, mark);
  write(folder.path() / "1.spool", sample().bytes());
  write(folder.path() / "2.spool", late.bytes());
  write(folder.path() / "note.txt", "not a spool by name");
  const Recording run = convert(folder.path());
  REQUIRE(run.summary);
  CHECK(run.summary->processes == 2);
  REQUIRE(run.trace.nvtx.size() == 2);
  CHECK(run.trace.nvtx.start_ns[1] == 5'000);
  CHECK(run.trace.metadata.start_utc_ns == 1'000);
}
