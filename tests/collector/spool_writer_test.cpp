// The spool's writer with a limit: what is kept, what is let go, and what is said of it.
#include <time.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "collector/guest/spool_writer.h"
#include "tests/collector/recorded_child.h"

using namespace gputrace;
using namespace gputrace::tests;
using guest::SpoolWriter;
using spool::RecordType;

namespace {

constexpr std::uint32_t kLane = 3;

template <class R>
void add(std::vector<std::uint8_t>& block, RecordType type, R record) {
  record.header.type = type;
  record.header.words = sizeof(R) / 8;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&record);
  block.insert(block.end(), bytes, bytes + sizeof record);
}

void add_text(std::vector<std::uint8_t>& block, std::uint32_t id, std::string text) {
  const spool::TextRecord record{{RecordType::text, 0, 3, id}, 0, static_cast<std::uint32_t>(text.size())};
  text.resize(8);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&record);
  block.insert(block.end(), bytes, bytes + sizeof record);
  block.insert(block.end(), text.begin(), text.end());
}

bool append(SpoolWriter& writer, const std::vector<std::uint8_t>& block) {
  // The writer's thread has a descriptor table of its own, and so has this.
  return writer.append(kLane, block.data(), static_cast<std::uint32_t>(block.size()));
}

std::vector<std::uint8_t> beginning() {
  std::vector<std::uint8_t> block;
  add(block, RecordType::thread, spool::ThreadRecord{{.id = 99}});
  add_text(block, 1, "range");
  add_text(block, 2, "_Z1fv");
  spool::ShapeRecord shape;
  shape.header.id = 1;
  shape.name = 2;
  add(block, RecordType::shape, shape);
  return block;
}

std::vector<std::uint8_t> kernels(std::uint64_t first, int count) {
  std::vector<std::uint8_t> block;
  for (int i = 0; i < count; ++i) {
    spool::KernelRecord kernel;
    kernel.header.id = 1;
    kernel.start_ns = first + static_cast<std::uint64_t>(i);
    kernel.correlation = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(i);
    add(block, RecordType::kernel, kernel);
  }
  return block;
}

std::vector<std::uint8_t> range_edge(RecordType type, std::int64_t time_ns) {
  std::vector<std::uint8_t> block;
  spool::NvtxRecord record;
  record.header.id = type == RecordType::nvtx_push ? 1 : 0;
  record.time_ns = time_ns;
  add(block, type, record);
  return block;
}

// In a thread of its own, as in a recording: it leaves this process's descriptor table.
template <class Work>
Recording written_by(guest::KeepLimit limit, Work work) {
  const TemporaryFolder folder;
  std::thread([&] {
    SpoolWriter writer;
    writer.header().pid = 77;
    writer.header().start_realtime_ns = 1;
    if (!writer.open(folder.path().string(), limit)) return;
    work(writer);
    writer.header().state = spool::State::finished;
    writer.flush(2);
    writer.close();
  }).join();
  return convert(folder.path());
}

}  // namespace

TEST_CASE("A limit that is not reached keeps all, in the same trace as without") {
  const auto write = [](SpoolWriter& writer) {
    append(writer, beginning());
    append(writer, range_edge(RecordType::nvtx_push, 5));
    append(writer, kernels(10, 100));
    append(writer, range_edge(RecordType::nvtx_pop, 500));
  };
  const Recording whole = written_by({}, write), limited = written_by({.bytes = 100'000'000}, write);
  REQUIRE(whole.summary);
  REQUIRE(limited.summary);
  CHECK(limited.summary->complete);
  CHECK(limited.summary->records == whole.summary->records);
  CHECK(limited.trace.kernels.size() == 100);
  CHECK(limited.trace.kernels.start_ns == whole.trace.kernels.start_ns);
  CHECK(limited.trace.text(limited.trace.kernels.name.at(0)) == "f()");
  REQUIRE(limited.trace.nvtx.size() == 1);
  CHECK(limited.trace.nvtx.end_ns.at(0) - limited.trace.nvtx.start_ns.at(0) == 495);
}

TEST_CASE("Beyond a size the oldest go, names survive, and the trace says how many") {
  constexpr std::uint64_t kLimit = 400'000, kBlocks = 100, kEach = 200;
  const Recording run = written_by({.bytes = kLimit}, [](SpoolWriter& writer) {
    append(writer, beginning());
    append(writer, range_edge(RecordType::nvtx_push, 5));
    for (std::uint64_t i = 0; i < kBlocks; ++i) append(writer, kernels(10 + i * kEach, kEach));
    append(writer, range_edge(RecordType::nvtx_pop, 500));
  });
  REQUIRE(run.summary);
  const std::size_t kept = run.trace.kernels.size();
  CHECK(kept * sizeof(spool::KernelRecord) <= kLimit);
  CHECK(kept * sizeof(spool::KernelRecord) > kLimit / 2);
  CHECK(run.trace.kernels.correlation.back().value ==
        static_cast<std::int64_t>(10 + kBlocks * kEach - 1));
  CHECK(run.trace.kernels.correlation.front().value ==
        static_cast<std::int64_t>(10 + kBlocks * kEach - kept));  // the newest, without a hole
  for (const auto name : run.trace.kernels.name) REQUIRE(run.trace.text(name) == "f()");
  CHECK_FALSE(run.summary->complete);
  CHECK(run.summary->dropped_records == 0);
  CHECK_THAT(run.summary->incomplete_why, Catch::Contains("were let go, as record --keep asks"));
  CHECK(run.settings.at("let_go_events") == std::to_string(kBlocks * kEach + 1 - kept));
  // The range began in what was let go; its end is no loss of the recorder.
  REQUIRE(run.trace.diagnostics.size() == 1);
  CHECK_THAT(run.trace.diagnostics.at(0).what, Catch::Contains("let go"));
}

TEST_CASE("A range over several segments is whole, on its thread") {
  const Recording run = written_by({.bytes = 8'000'000}, [](SpoolWriter& writer) {
    append(writer, beginning());
    append(writer, range_edge(RecordType::nvtx_push, 5));
    for (std::uint64_t i = 0; i < 150; ++i) append(writer, kernels(10 + i * 200, 200));
    append(writer, range_edge(RecordType::nvtx_pop, 500));
  });
  REQUIRE(run.summary);
  CHECK(run.summary->complete);
  CHECK(run.trace.kernels.size() == 150 * 200);
  REQUIRE(run.trace.nvtx.size() == 1);
  CHECK(run.trace.nvtx.end_ns.at(0) - run.trace.nvtx.start_ns.at(0) == 495);
  CHECK(run.trace.threads.at(static_cast<std::size_t>(run.trace.nvtx.thread.at(0).value)).tid == 99);
}

TEST_CASE("Beyond a time the oldest go at the next flush") {
  constexpr std::int64_t kHour = 3'600'000'000'000;
  const Recording run = written_by({.time_ns = kHour}, [](SpoolWriter& writer) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const std::int64_t now_ns = std::int64_t{now.tv_sec} * 1'000'000'000;
    append(writer, beginning());
    append(writer, kernels(10, 20));
    writer.flush(now_ns + kHour / 4);  // closes the first segment
    append(writer, kernels(50, 30));
    writer.flush(now_ns + kHour * 5 / 4 - 1'000'000'000);  // the first is within the hour still, if only just
    append(writer, kernels(90, 40));
    writer.flush(now_ns + kHour * 5 / 4 + 1'000'000'000);
  });
  REQUIRE(run.summary);
  CHECK(run.trace.kernels.size() == 70);
  CHECK(run.settings.at("let_go_events") == "20");
}

TEST_CASE("A recorded program keeps within its limit, and every kernel that is kept has its name") {
  const Recording run = record_child({"kernels", "40000"}, true, {{"GPUTRACE_KEEP_BYTES", "1000000"}, {"GPUTRACE_BUFFER_MB", "64"}});
  REQUIRE(run.summary);
  CHECK(run.summary->dropped_records == 0);
  CHECK(run.trace.kernels.size() > 0);
  CHECK(run.trace.kernels.size() < 40000);
  for (const auto name : run.trace.kernels.name) REQUIRE(run.trace.text(name) == "void kernel<float>(float*, int)");
  CHECK_THAT(run.summary->incomplete_why, Catch::Contains("were let go"));
  CHECK_FALSE(run.trace.metadata.complete);
}
