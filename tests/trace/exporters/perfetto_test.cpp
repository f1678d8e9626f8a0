#include <catch2/catch.hpp>

#include "tests/trace/exported.h"
#include "tests/trace/imported.h"
#include "tests/trace/sample_trace.h"
#include "trace/perfetto_fields.h"
#include "trace/protobuf_reader.h"

namespace gputrace::trace {
namespace {

using namespace tests;

struct Counts {
  int begins = 0, ends = 0, counters = 0, flows = 0, tracks = 0;
};

// A parser of its own: what is in the file by Perfetto's own definition.
Counts counts_in(const std::string& bytes) {
  Counts counts;
  for (protozero::pbf_reader file(bytes); file.next(perfetto::trace::kPacket);) {
    for (protozero::pbf_reader packet = file.get_message(); packet.next();) {
      counts.tracks += packet.tag() == perfetto::packet::kTrackDescriptor;
      if (packet.tag() != perfetto::packet::kTrackEvent) {
        packet.skip();
        continue;
      }
      for (protozero::pbf_reader event = packet.get_message(); event.next();) {
        counts.flows += event.tag() == perfetto::event::kFlowIds;
        if (event.tag() != perfetto::event::kType) {
          event.skip();
          continue;
        }
        const int type = event.get_enum();
        counts.begins += type == static_cast<int>(perfetto::event::kBegin);
        counts.ends += type == static_cast<int>(perfetto::event::kEnd);
        counts.counters += type == static_cast<int>(perfetto::event::kCounter);
      }
    }
  }
  return counts;
}

TEST_CASE("a trace that was exported for Perfetto reads back row for row") {
  const Trace trace = sample_trace();
  const Trace read = imported(exported(trace, "perfetto"));
  check_same_rows(trace, read);
  CHECK(read.metadata.producer == "sample 1.0");
  CHECK(read.metadata.simulated);
  CHECK_FALSE(read.metadata.complete);
  CHECK(read.metadata.dropped_records == 3);
  CHECK(read.gpus.at(0).name == "GPU model");
  CHECK(read.processes.at(0).name == "train \"one\"");
  CHECK(read.counters.size() == 3);  // what gputrace derives is not read back as recorded
}

TEST_CASE("Perfetto's file has a slice per row, flows at both ends of a launch, tracks and counters") {
  const Counts counts = counts_in(exported(sample_trace(), "perfetto"));
  CHECK(counts.begins == 4 + 3 + 1 + 1 + 2 + 4);
  CHECK(counts.ends == counts.begins - 1);  // one range never ended
  CHECK(counts.flows == 4);
  CHECK(counts.counters > 4);
  CHECK(counts.tracks > 8);
}

TEST_CASE("times before zero are shifted, and come back") {
  Trace trace = sample_trace();
  for (std::int64_t& time_ns : trace.kernels.start_ns) time_ns -= 5'000'000;
  for (std::int64_t& time_ns : trace.kernels.end_ns) time_ns -= 5'000'000;
  check_same_rows(trace, imported(exported(trace, "perfetto")));
}

TEST_CASE("findings are marked for Perfetto, and are no ranges of the program when read back") {
  const std::vector<Annotation> found{{.span = {1'010'000, 1'020'000}, .device = DeviceId{0}, .title = "idle", .text = "because"}};
  const std::string bytes = exported(sample_trace(), "perfetto", found);
  CHECK(count_of(bytes, "because") == 1);
  check_same_rows(sample_trace(), imported(bytes));
}

}  // namespace
}  // namespace gputrace::trace
