#include "gui/marks.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/gui/temporary_folder.h"

namespace gputrace::gui {
namespace {

TEST_CASE("Marks are kept beside the trace and read again in order of time") {
  const tests::TemporaryFolder folder;
  const auto trace = folder.path() / "t.sqlite";
  CHECK(read_marks(trace).empty());
  REQUIRE(write_marks(trace, {{500, "late\tand\nodd"}, {-20, "early"}}));
  CHECK(read_marks(trace) == std::vector<Mark>{{-20, "early"}, {500, "late and odd"}});
  REQUIRE(write_marks(trace, {}));
  CHECK_FALSE(std::filesystem::exists(marks_file(trace)));
}

TEST_CASE("A file of that name that holds something else is left alone") {
  const tests::TemporaryFolder folder;
  const auto trace = folder.path() / "t.sqlite";
  std::ofstream{marks_file(trace)} << "school marks\n12\tx\n";
  CHECK(read_marks(trace).empty());
  const auto written = write_marks(trace, {{1, "a"}});
  REQUIRE_FALSE(written);
  CHECK(written.error().line().find("t.sqlite.marks") != std::string::npos);
  CHECK(std::filesystem::file_size(marks_file(trace)) == 18);
}

TEST_CASE("Lines that are no mark are left out") {
  const tests::TemporaryFolder folder;
  const auto trace = folder.path() / "t.sqlite";
  std::ofstream{marks_file(trace)} << "# marks of gputrace view\nx\ty\n99999999999999999999\tz\n7 no tab\n8\t\n";
  CHECK(read_marks(trace) == std::vector<Mark>{{8, ""}});
}

TEST_CASE("A folder that cannot be written is told") {
  const auto written = write_marks("/no/such/folder/t.sqlite", {{1, "a"}});
  REQUIRE_FALSE(written);
  CHECK(written.error().line().find("/no/such/folder") != std::string::npos);
}

}  // namespace
}  // namespace gputrace::gui
