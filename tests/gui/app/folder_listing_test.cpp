#include "gui/app/folder_listing.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/gui/temporary_folder.h"

namespace gputrace::gui {
namespace {

TEST_CASE("A folder is listed by name, folders first, without hidden files and those that are no traces") {
  const tests::TemporaryFolder folder;
  for (const char* name : {"b.sqlite", "a.json.gz", ".hidden.sqlite", "picture.png", "Makefile"})
    std::ofstream{folder / name} << "12345";
  std::filesystem::create_directory(folder / "z");
  const auto entries = list_folder(folder.path());
  REQUIRE(entries);
  REQUIRE(entries->size() == 3);
  CHECK((*entries)[0].name == "z");
  CHECK((*entries)[0].is_folder);
  CHECK((*entries)[1].name == "a.json.gz");
  CHECK((*entries)[2].name == "b.sqlite");
  CHECK((*entries)[2].size_bytes == 5);
}

TEST_CASE("A folder that cannot be read is told by name") {
  const auto entries = list_folder("/no/such/folder");
  REQUIRE_FALSE(entries);
  CHECK(entries.error().line().find("/no/such/folder") != std::string::npos);
}

}  // namespace
}  // namespace gputrace::gui
