#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/trace/exported.h"
#include "tests/trace/sample_trace.h"
#include "trace/csv_fields.h"

namespace gputrace::trace {
namespace {

using namespace tests;

TEST_CASE("CSV has a row per event, and every row all columns") {
  const Trace trace = sample_trace();
  std::istringstream lines(exported(trace, "csv"));
  std::vector<std::string> titles, fields;
  std::string line;
  REQUIRE(std::getline(lines, line));
  split_csv_line(line, titles);
  std::size_t rows = 0, kernels = 0;
  while (std::getline(lines, line)) {
    split_csv_line(line, fields);
    INFO(line);
    CHECK(fields.size() == titles.size());
    ++rows;
    kernels += fields[0] == "kernel";
    if (fields[0] == "kernel" && fields[static_cast<std::size_t>(csv_column(titles, "correlation"))] == "5" && fields[6] == "0") {
      CHECK(fields[static_cast<std::size_t>(csv_column(titles, "name"))] == "void conv<float>(float*, int)");
      CHECK(fields[static_cast<std::size_t>(csv_column(titles, "duration_ns"))] == "10333");
      CHECK(fields[static_cast<std::size_t>(csv_column(titles, "grid"))] == "4x2x1");
      CHECK(fields[static_cast<std::size_t>(csv_column(titles, "dynamic_shared_bytes"))] == "48");
    }
    if (fields[0] == "copy" && fields[1] == "1040000") {
      CHECK(fields[static_cast<std::size_t>(csv_column(titles, "bytes"))] == "1048576");
      CHECK(fields[static_cast<std::size_t>(csv_column(titles, "destination_memory"))] == "device");
    }
    if (fields[0] == "range" && fields[1] == "1300000") {
      CHECK(fields[2].empty());  // never ended: no end, and no duration of zero
      CHECK(fields[3].empty());
    }
    if (fields[0] == "range" && fields[1] == "1000000" && fields[2] == "1100000") {
      CHECK(fields[static_cast<std::size_t>(csv_column(titles, "domain"))] == "step");
      CHECK(fields[static_cast<std::size_t>(csv_column(titles, "category"))] == "phase");
    }
  }
  CHECK(kernels == trace.kernels.size());
  CHECK(rows == trace.kernels.size() + trace.copies.size() + trace.fills.size() + trace.synchronizations.size() + trace.api_calls.size() + trace.nvtx.size());
}

}  // namespace
}  // namespace gputrace::trace
