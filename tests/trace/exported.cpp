#include "tests/trace/exported.h"

#include <catch2/catch.hpp>

#include "tests/trace/sqlite_fixture.h"

namespace gputrace::tests {

std::string exported(const trace::Trace& trace, std::string_view format, std::span<const trace::Annotation> annotations) {
  for (const trace::Exporter* exporter : trace::all_exporters()) {
    if (exporter->format != format) continue;
    const TemporaryFolder folder;
    auto sink = trace::ByteSink::create(folder.path() / "out", false);
    REQUIRE(sink);
    exporter->write(trace, annotations, *sink);
    REQUIRE(sink->finish());
    return file_bytes(folder.path() / "out");
  }
  FAIL("no such exporter");
  return {};
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace gputrace::tests
