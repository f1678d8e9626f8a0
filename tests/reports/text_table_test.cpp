#include "reports/text_table.h"

#include <catch2/catch.hpp>

using namespace gputrace::reports;

namespace {

const std::vector<TableColumn> kColumns{{.header = "name", .align = Align::left, .shrink_to = 6},
                                        {.header = "time"},
                                        {.header = "count", .droppable = true}};
const std::vector<std::vector<std::string>> kRows{{"a long name", "1 ms", "7"}, {"漢字", "23 ms", "12"}};
using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a table that fits shows all, aligned") {
  CHECK(table_lines(kColumns, kRows, 80) == Lines{"name          time  count",  //
                                                  "a long name   1 ms      7",  //
                                                  "漢字         23 ms     12"});
}

TEST_CASE("a table that is too wide first cuts, then leaves columns out") {
  CHECK(table_lines(kColumns, kRows, 24)[1] == "a long na…   1 ms      7");
  CHECK(table_lines(kColumns, kRows, 20)[1] == "a lon…   1 ms      7");
  CHECK(table_lines(kColumns, kRows, 19)[1] == "a long name   1 ms");
  CHECK(table_lines(kColumns, kRows, 12)[1] == "a lo…   1 ms");
}

TEST_CASE("no line is wider than asked, however narrow") {
  for (int width = 1; width < 30; ++width) {
    for (const auto& line : table_lines(kColumns, kRows, width)) CHECK(display_width(line) <= width);
  }
}

TEST_CASE("a table without rows is its header") { CHECK(table_lines(kColumns, {}, 80) == Lines{"name  time  count"}); }
