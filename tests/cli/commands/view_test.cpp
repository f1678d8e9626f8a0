#include <catch2/catch.hpp>
#include <cstring>

#include "tests/cli/child_process.h"
#include "tests/cli/trace_file.h"

using namespace gputrace::tests;
using Catch::Matchers::Contains;

namespace {

ChildResult view(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {gputrace_program(), "view"});
  return run_child(arguments, {.environment = {"DISPLAY=", "WAYLAND_DISPLAY="}});
}

// The viewer needs libraries that not every machine has; the command is then there to say so.
bool viewer_built() {
  const bool built = view({"no-such.sqlite", "--screenshot", "/dev/null"}).err.find("no viewer") == std::string::npos;
  if (!built) WARN("skipped: this build has no viewer");
  return built;
}

int png_dimension(const std::string& png, std::size_t offset) {  // big-endian, in the IHDR chunk
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(png[offset + i]); };
  return byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
}

}  // namespace

TEST_CASE("view --screenshot writes a PNG of the size asked for, without a display") {
  if (!viewer_built()) return;
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite");
  const auto result =
      view({trace, "--screenshot", folder.file("out.png").string(), "--size", "800x400", "--theme", "light"});
  CHECK(result.exit_status == 0);
  CHECK(result.err.empty());
  const std::string png = folder.text_of("out.png");
  REQUIRE(png.size() > 1000);
  CHECK(std::memcmp(png.data(), "\x89PNG", 4) == 0);
  CHECK(png_dimension(png, 16) == 800);
  CHECK(png_dimension(png, 20) == 400);
}

TEST_CASE("view shows another stretch where --at and --span say so") {
  if (!viewer_built()) return;
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite");
  CHECK(view({trace, "--screenshot", folder.file("all.png").string()}).exit_status == 0);
  CHECK(view({trace, "--screenshot", folder.file("part.png").string(), "--at", "2ms", "--span", "500us"})
            .exit_status == 0);
  CHECK(folder.text_of("all.png") != folder.text_of("part.png"));
}

TEST_CASE("view of two traces shows the second below, and says which file is missing") {
  if (!viewer_built()) return;
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite"), second = folder.write_trace("u.sqlite");
  CHECK(view({trace, "--screenshot", folder.file("one.png").string()}).exit_status == 0);
  CHECK(view({trace, second, "--screenshot", folder.file("two.png").string()}).exit_status == 0);
  CHECK(folder.text_of("one.png") != folder.text_of("two.png"));
  const auto missing = view({trace, "no-such.sqlite", "--screenshot", folder.file("three.png").string()});
  CHECK(missing.exit_status == 1);
  CHECK_THAT(missing.err, Contains("no-such.sqlite"));
}

TEST_CASE("view takes the user's own names for kernels") {
  if (!viewer_built()) return;
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite");
  folder.write("names", "* | my own kernel | matmul\n");
  CHECK(view({trace, "--screenshot", folder.file("plain.png").string()}).exit_status == 0);
  CHECK(view({trace, "--screenshot", folder.file("named.png").string(), "--names", folder.file("names").string()})
            .exit_status == 0);
  CHECK(folder.text_of("plain.png") != folder.text_of("named.png"));
  const auto missing = view({trace, "--screenshot", folder.file("x.png").string(), "--names", "no-such-names"});
  CHECK(missing.exit_status == 1);
  CHECK_THAT(missing.err, Contains("no-such-names"));
}

TEST_CASE("view does not overwrite a picture without --force") {
  if (!viewer_built()) return;
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite"), out = folder.file("out.png").string();
  folder.write("out.png", "mine");
  CHECK(view({trace, "--screenshot", out}).exit_status == 1);
  CHECK(folder.text_of("out.png") == "mine");
  CHECK(view({trace, "--screenshot", out, "--force"}).exit_status == 0);
  CHECK(folder.text_of("out.png") != "mine");
}

TEST_CASE("view without a display says in one line what to do instead") {
  if (!viewer_built()) return;
  const TestFolder folder;
  const auto result = view({folder.write_trace("t.sqlite")});
  CHECK(result.exit_status == 1);
  CHECK_THAT(result.err, Contains("--screenshot") && Contains("report --format html"));
  CHECK(result.err.find('\n') == result.err.size() - 1);
}

TEST_CASE("view tells what is wrong with an option, and writes nothing") {
  if (!viewer_built()) return;
  const TestFolder folder;
  const std::string trace = folder.write_trace("t.sqlite"), out = folder.file("out.png").string();
  const std::vector<std::vector<std::string>> wrong = {{"--at", "soon"},
                                                       {"--span", "-1ms"},
                                                       {"--size", "10x10"},
                                                       {"--size", "800x400x3"},
                                                       {"--finding", "900"}};
  for (const auto& option : wrong) {
    const auto result = view({trace, "--screenshot", out, option[0] + "=" + option[1]});
    CHECK(result.exit_status == 1);
    CHECK_THAT(result.err, Contains(option[0]));
  }
  CHECK(folder.file_count() == 1);
}

TEST_CASE("view of a file that does not exist is an error that names it") {
  if (!viewer_built()) return;
  const TestFolder folder;
  const auto window = view({"no-such.sqlite"});
  CHECK(window.exit_status == 1);
  CHECK_THAT(window.err, Contains("no-such.sqlite"));
  const auto picture = view({"no-such.sqlite", "--screenshot", folder.file("o.png").string()});
  CHECK(picture.exit_status == 1);
  CHECK_THAT(picture.err, Contains("no-such.sqlite"));
}
