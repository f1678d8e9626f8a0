#include "trace/save_trace.h"

#include <catch2/catch.hpp>

#include "tests/trace/sample_trace.h"
#include "tests/trace/sqlite_fixture.h"
#include "trace/trace_reader.h"

namespace gputrace::trace {
namespace {

using namespace tests;

TEST_CASE("a saved trace reads back row for row") {
  Trace trace = sample_trace();
  trace.op_placements.push_back({.op_name = "a", .op_type = "MatMul", .requested_device = "/gpu:0", .device = "/cpu:0"});
  trace.diagnostics.push_back({"kernel rows with a flaw", 2});
  trace.clocks.push_back({.process = ProcessIndex{1}, .offset_ns = -5, .drift_ppb = 7, .residual_ns = 11, .matched = 3});
  const TemporaryFolder folder;
  const auto path = folder.path() / "saved.sqlite";
  REQUIRE(save_trace(trace, path, false));
  const auto read = read_trace(path);
  if (!read) FAIL(read.error().line());
  check_same_rows(trace, *read);
  CHECK(read->metadata.producer == "sample 1.0");
  CHECK(read->metadata.simulated);
  CHECK(read->metadata.incomplete_why == "killed");
  CHECK(read->metadata.dropped_records == 3);
  CHECK(read->gpus.at(0).name == "GPU model");
  CHECK(read->op_placements.at(0).requested_device == "/gpu:0");
  REQUIRE(read->clocks.size() == 1);
  CHECK(read->clocks[0].offset_ns == -5);
  CHECK(read->clocks[0].residual_ns == 11);
  bool is_named = false;
  for (const Process& process : read->processes) is_named |= process.pid == 100 && process.name == "train \"one\"";
  CHECK(is_named);
  bool has_flaw = false;
  for (const Diagnostic& diagnostic : read->diagnostics) has_flaw |= diagnostic.what == "kernel rows with a flaw" && diagnostic.count == 2;
  CHECK(has_flaw);
  CHECK(read->captured == trace.captured.set(static_cast<std::size_t>(Table::op_placements)));
}

TEST_CASE("an existing file is kept unless it may be overwritten") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "saved.sqlite";
  write_file(path, "mine");
  CHECK_FALSE(save_trace(sample_trace(), path, false));
  CHECK(file_bytes(path) == "mine");
  CHECK(save_trace(sample_trace(), path, true));
  CHECK(read_trace(path));
}

}  // namespace
}  // namespace gputrace::trace
