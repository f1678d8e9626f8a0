// Spools of many processes: converted by many workers, the trace is that of one.
#include <sqlite3.h>

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "collector/spool_convert.h"
#include "tests/collector/recorded_child.h"

using namespace gputrace;
using namespace gputrace::tests;

namespace {

// Every row of a table in order of its values, with names for the ids of strings: these depend on who came first.
std::vector<std::string> rows_of(const Recording& recording, const std::string& table) {
  std::string columns;
  for (const std::string& column : recording.query("SELECT name FROM pragma_table_info('" + table + "')")) {
    const bool is_text = column == "nameId" || column == "textId" || column == "jsonTextId" || column == "demangledName" ||
                         column == "shortName" || column == "mangledName" || column == "cachePathId" || column == "CpuInstruction";
    const std::string value = is_text ? "(SELECT value FROM StringIds WHERE id = t.\"" + column + "\")" : "hex(\"" + column + "\")";
    columns += (columns.empty() ? "" : ",") + value;
  }
  auto rows = recording.query("SELECT " + columns + " FROM \"" + table + "\" t");
  std::sort(rows.begin(), rows.end());
  return rows;
}

Recording converted(const std::filesystem::path& spools, unsigned workers) {
  Recording recording;
  recording.folder = std::make_shared<const TemporaryFolder>();
  recording.summary = collector::convert_spools(spools, {recording.folder->path() / "trace.sqlite", false, {}, {}, workers});
  return recording;
}

}  // namespace

TEST_CASE("Workers side by side make the trace that one makes") {
  const TemporaryFolder spools;
  Environment environment = recording_environment(spools.path());
  environment.emplace_back("FAKE_CUPTI", fake_cupti_library());
  environment.emplace_back("GPUTRACE_TRACE", "cuda,nvtx,memory,page-faults");
  for (const std::vector<std::string>& mode :
       {std::vector<std::string>{"kernels", "30000"}, {"each"}, {"payloads"}, {"steps", "50"}, {"kernels", "10000"}, {"kill", "500"},
        {"threads", "64"}}) {
    std::vector<std::string> command{child_program()};
    command.insert(command.end(), mode.begin(), mode.end());
    run_program(command, environment);
  }
  const Recording one = converted(spools.path(), 1);
  REQUIRE(one.summary);
  CHECK(one.summary->processes == 7);
  for (const unsigned workers : {2U, 8U, 100U}) {
    INFO(workers << " workers");
    const Recording many = converted(spools.path(), workers);
    REQUIRE(many.summary);
    CHECK(many.summary->records == one.summary->records);
    CHECK(many.summary->incomplete_why == one.summary->incomplete_why);
    CHECK(many.summary->notes == one.summary->notes);
    CHECK(many.query("PRAGMA integrity_check") == std::vector<std::string>{"ok"});
    const auto tables = one.query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
    CHECK(many.query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") == tables);
    CHECK(many.query("SELECT value FROM StringIds ORDER BY value") == one.query("SELECT value FROM StringIds ORDER BY value"));
    for (const std::string& table : tables) {
      INFO(table);
      if (table != "StringIds") CHECK((rows_of(many, table) == rows_of(one, table)));
    }
  }
}
