#include "reports/format.h"

#include <set>
#include <string>

#include <catch2/catch.hpp>

using namespace gputrace::reports;

TEST_CASE("formats are found by their names, which differ") {
  std::set<std::string> names;
  for (const Format* format : formats()) {
    CHECK(names.insert(format->name).second);
    CHECK(find_format(format->name) == format);
  }
  CHECK(names.count("text") == 1);
  CHECK(names.count("json") == 1);
  CHECK(find_format("") == nullptr);
  CHECK(find_format("tex") == nullptr);
}
