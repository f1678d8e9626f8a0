// Files that are cut, changed at random or made to hurt: an error of one line or a trace whose rows keep what is promised of them,
// and never a crash, a hang, or memory without bound. A fuzzer goes further (tests/fuzz/import_fuzz.cpp); this runs with every build.
#include <sys/resource.h>
#include <zlib.h>

#include <catch2/catch.hpp>
#include <random>

#include "tests/trace/exported.h"
#include "tests/trace/imported.h"
#include "tests/trace/sample_trace.h"
#include "tests/trace/sqlite_fixture.h"
#include "trace/save_trace.h"
#include "trace/trace_reader.h"

namespace gputrace::trace {
namespace {

using namespace tests;

bool has_sound_times(const std::vector<std::int64_t>& start_ns, const std::vector<std::int64_t>& end_ns) {
  for (std::size_t i = 0; i < start_ns.size(); ++i) {
    if (end_ns[i] != kNoEnd && end_ns[i] < start_ns[i]) return false;
  }
  return start_ns.size() == end_ns.size();
}

void check_reads_or_says_why(const std::filesystem::path& path, std::string_view bytes) {
  write_file(path, bytes);
  const auto trace = read_trace(path);
  if (!trace) {
    CHECK_FALSE(trace.error().what.empty());
    return;
  }
  CHECK(has_sound_times(trace->kernels.start_ns, trace->kernels.end_ns));
  CHECK(has_sound_times(trace->copies.start_ns, trace->copies.end_ns));
  CHECK(has_sound_times(trace->api_calls.start_ns, trace->api_calls.end_ns));
  CHECK(has_sound_times(trace->nvtx.start_ns, trace->nvtx.end_ns));
}

std::string saved_sample() {
  const TemporaryFolder folder;
  REQUIRE(save_trace(sample_trace(), folder.path() / "t", false));
  return file_bytes(folder.path() / "t");
}

std::vector<std::string> samples() {
  const std::string chrome = exported(sample_trace(), "chrome"), perfetto = exported(sample_trace(), "perfetto");
  return {chrome, perfetto, gzip(chrome), gzip(perfetto), saved_sample(), "a: (Add): /device:GPU:0\nExecuting op Add in device /device:CPU:0\n",
          "\"Start\",\"Duration\",\"Grid X\",\"Device\",\"Context\",\"Stream\",\"Name\"\nms,us,,,,,\n1.5,2.0,1,\"G (0)\",1,7,\"conv\"\n",
          "\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"BeginNs\",\"EndNs\"\n0,\"add.kd\",1,2,100,400\n",
          "[{\"ph\": \"B\", \"name\": \"NEGOTIATE_ALLREDUCE\", \"ts\": 1, \"pid\": 1}, {\"ph\": \"E\", \"ts\": 3, \"pid\": 1},"};
}

TEST_CASE("files cut off anywhere are read as far as they go, or refused") {
  const TemporaryFolder folder;
  for (const std::string& bytes : samples()) {
    for (std::size_t length = 1; length < bytes.size(); length += bytes.size() / 40 + 1)
      check_reads_or_says_why(folder.path() / "file", bytes.substr(0, length));
  }
}

TEST_CASE("files with bytes changed at random are read with sound rows, or refused") {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  for (const std::string& bytes : samples()) {
    for (int round = 0; round < 60; ++round) {
      std::string changed = bytes;
      for (int i = 0; i <= round % 4; ++i) changed[random() % changed.size()] = static_cast<char>(random());
      check_reads_or_says_why(folder.path() / "file", changed);
    }
  }
}

std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

// A gzip file of `before`, then 1 GiB of one character, made without holding it.
void write_bomb(const std::filesystem::path& path, std::string before, char filling) {
  gzFile file = gzopen(path.c_str(), "wb1");
  REQUIRE(file != nullptr);
  const std::string chunk(std::size_t{1} << 20, filling);
  REQUIRE(gzwrite(file, before.data(), static_cast<unsigned>(before.size())) == static_cast<int>(before.size()));
  for (int i = 0; i < 1024; ++i) REQUIRE(gzwrite(file, chunk.data(), static_cast<unsigned>(chunk.size())) == static_cast<int>(chunk.size()));
  REQUIRE(gzclose(file) == Z_OK);
}

TEST_CASE("what inflates without end, and what nests without end, stops at a limit") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "bomb";
  const std::int64_t before = peak_bytes();
  const auto read = [&path] {
    auto trace = read_trace(path);
    if (!trace) FAIL(trace.error().line());
    return std::move(*trace);
  };
  write_bomb(path, "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"ts\": 1, \"dur\": 2},", ' ');
  CHECK(read().kernels.size() == 1);
  write_bomb(path, "{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"", 'a');
  CHECK(read().metadata.incomplete_why == "a value of over 64 MiB, or nested over 512 levels deep, ends the reading");
  write_bomb(path, "{\"traceEvents\": [{\"ph\": \"X\", \"args\": ", '[');
  CHECK(read().metadata.incomplete_why == "a value of over 64 MiB, or nested over 512 levels deep, ends the reading");
  write_bomb(path, "a: (Add): /device:GPU:0\n", 'x');
  CHECK(read().op_placements.size() == 1);
  CHECK(peak_bytes() - before < std::int64_t{300} << 20);
}

// Found by fuzzing.
TEST_CASE("an export that was changed to be incomplete, without a reason, has one when it is read") {
  const Trace trace = imported(R"({"gputrace": {"producer": "x 1", "complete": tRue, "incomplete_why": ""}, "traceEvents": []})");
  CHECK_FALSE(trace.metadata.complete);
  CHECK(trace.metadata.incomplete_why == "the trace that was exported was incomplete, and the file does not say why");
}

TEST_CASE("a protobuf length that lies costs no memory") {
  const std::int64_t before = peak_bytes();
  const std::string whole = exported(sample_trace(), "perfetto");
  const Trace trace = imported(whole + std::string("\x0a\xff\xff\xff\xff\x03") + "x");  // 1 GiB - 1, it says
  CHECK(trace.kernels.size() == 4);
  CHECK_FALSE(trace.metadata.complete);
  CHECK(imported(whole + std::string("\x0a\xff\xff\xff\xff\x7f")).metadata.incomplete_why == "a message of over 1 GiB ends the reading");
  CHECK(peak_bytes() - before < std::int64_t{64} << 20);
}

}  // namespace
}  // namespace gputrace::trace
