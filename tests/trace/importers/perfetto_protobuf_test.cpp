// Packets as other programs write them: inline names, clocks of their own, malformed ones.
#include <catch2/catch.hpp>
#include <limits>
#include <optional>
#include <protozero/pbf_writer.hpp>

#include "tests/trace/imported.h"
#include "trace/perfetto_fields.h"

namespace gputrace::trace {
namespace {

using namespace tests;
using protozero::pbf_writer;

class File {
 public:
  template <class Fill>
  File& packet(Fill fill, std::uint32_t sequence = 1) {
    std::string bytes;
    pbf_writer writer(bytes);
    writer.add_uint32(perfetto::packet::kSequence, sequence);
    fill(writer);
    pbf_writer(bytes_).add_message(perfetto::trace::kPacket, bytes);
    return *this;
  }

  File& thread(std::uint64_t uuid, int pid, int tid) {
    return packet([&](pbf_writer& packet) {
      pbf_writer track(packet, perfetto::packet::kTrackDescriptor);
      track.add_uint64(perfetto::descriptor::kUuid, uuid);
      pbf_writer thread(track, perfetto::descriptor::kThread);
      thread.add_int32(perfetto::descriptor::kThreadPid, pid);
      thread.add_int32(perfetto::descriptor::kThreadTid, tid);
    });
  }

  File& event(std::uint64_t time, std::uint32_t type, std::uint64_t track, const std::string& name = "", const std::string& category = "", std::uint32_t clock = 0) {
    return packet([&](pbf_writer& packet) {
      packet.add_uint64(perfetto::packet::kTimestamp, time);
      if (clock != 0) packet.add_uint32(perfetto::packet::kClock, clock);
      pbf_writer event(packet, perfetto::packet::kTrackEvent);
      event.add_enum(perfetto::event::kType, static_cast<int>(type));
      event.add_uint64(perfetto::event::kTrackUuid, track);
      if (!name.empty()) event.add_string(perfetto::event::kName, name);
      if (!category.empty()) event.add_string(perfetto::event::kCategories, category);
    });
  }

  File& raw(const std::string& bytes) {
    pbf_writer(bytes_).add_message(perfetto::trace::kPacket, bytes);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

TEST_CASE("nested slices of a thread are ranges in a domain of their category") {
  const auto text = File().thread(9, 100, 101).event(1000, perfetto::event::kBegin, 9, "outer", "app").event(2000, perfetto::event::kBegin, 9, "inner", "app")
                        .event(3000, perfetto::event::kEnd, 9).event(4000, perfetto::event::kEnd, 9).event(4500, perfetto::event::kInstant, 9, "tick", "app").bytes();
  for (const std::string& bytes : {text, gzip(text)}) {
    const Trace trace = imported(bytes);
    CHECK(trace.metadata.producer == "Perfetto trace");
    REQUIRE(trace.nvtx.size() == 3);
    CHECK(trace.text(trace.nvtx.text[0]) == "outer");
    CHECK(range_span(trace, 0) == Span{1000, 4000});
    CHECK(range_span(trace, 1) == Span{2000, 3000});
    CHECK(trace.nvtx.kind[2] == NvtxKind::mark);
    CHECK(trace.text(trace.nvtx.domain[0]) == "app");
    CHECK(trace.threads.at(0).tid == 101);
  }
}

TEST_CASE("counters are samples of their track: its name, unit, GPU and process, and what each value adds where it is incremental") {
  File file;
  file.packet([](pbf_writer& packet) {
    pbf_writer track(packet, perfetto::packet::kTrackDescriptor);
    track.add_uint64(perfetto::descriptor::kUuid, 1);
    pbf_writer process(track, perfetto::descriptor::kProcess);
    process.add_int32(perfetto::descriptor::kProcessPid, 100);
  });
  const auto counter = [&file](std::uint64_t uuid, const std::string& name, std::uint64_t unit, std::int64_t multiplier, bool is_incremental) {
    file.packet([&](pbf_writer& packet) {
      pbf_writer track(packet, perfetto::packet::kTrackDescriptor);
      track.add_uint64(perfetto::descriptor::kUuid, uuid);
      track.add_uint64(perfetto::descriptor::kParent, 1);
      track.add_string(perfetto::descriptor::kName, name);
      pbf_writer described(track, perfetto::descriptor::kCounter);
      described.add_uint64(perfetto::descriptor::kCounterUnit, unit);
      described.add_int64(perfetto::descriptor::kCounterUnitMultiplier, multiplier);
      described.add_bool(perfetto::descriptor::kCounterIsIncremental, is_incremental);
    });
  };
  const auto sample = [&file](std::uint64_t time, std::uint64_t track, std::int64_t value, std::optional<double> real = std::nullopt) {
    file.packet([&](pbf_writer& packet) {
      packet.add_uint64(perfetto::packet::kTimestamp, time);
      pbf_writer event(packet, perfetto::packet::kTrackEvent);
      event.add_uint64(perfetto::event::kType, perfetto::event::kCounter);
      event.add_uint64(perfetto::event::kTrackUuid, track);
      if (real) event.add_double(perfetto::event::kDoubleCounterValue, *real);
      else event.add_int64(perfetto::event::kCounterValue, value);
    });
  };
  counter(2, "resident set", 3, 1024, false);
  counter(3, "GPU 5 requests", 2, 0, true);
  sample(10, 2, 7);
  sample(20, 3, 4);
  sample(30, 3, 5);
  sample(40, 2, 0, 0.5);
  sample(50, 2, 0, std::numeric_limits<double>::quiet_NaN());
  const Trace trace = imported(file.bytes());
  const Counters& counters = trace.counters;
  CHECK(counters.start_ns == std::vector<std::int64_t>{10, 20, 30, 40});
  CHECK(counters.value == std::vector<double>{7168, 4, 9, 512});
  CHECK(trace.text(counters.name.at(0)) == "resident set");
  CHECK(trace.text(counters.unit.at(0)) == "bytes");
  CHECK(trace.text(counters.unit.at(1)) == "count");
  CHECK(counters.device == std::vector<DeviceId>{DeviceId{-1}, DeviceId{5}, DeviceId{5}, DeviceId{-1}});
  CHECK(trace.processes.at(static_cast<std::size_t>(counters.process.at(0).value)).pid == 100);
  CHECK(counted(trace, "counter events with a number out of range") == 1);
}

TEST_CASE("GPU slices without a device are counted, with a track named after the GPU they have one") {
  File file;
  file.packet([](pbf_writer& packet) {
    pbf_writer track(packet, perfetto::packet::kTrackDescriptor);
    track.add_uint64(perfetto::descriptor::kUuid, 5);
    track.add_string(perfetto::descriptor::kName, "GPU 3");
  });
  file.event(1000, perfetto::event::kBegin, 5, "conv", "kernel").event(2000, perfetto::event::kEnd, 5);
  file.event(1000, perfetto::event::kBegin, 6, "lost", "kernel").event(2000, perfetto::event::kEnd, 6);
  const Trace trace = imported(file.bytes());
  REQUIRE(trace.kernels.size() == 1);
  CHECK(trace.kernels.device[0].value == 3);
  CHECK(counted(trace, "kernel events without a device") == 1);
}

TEST_CASE("a sequence's own incremental clock is put on the trace's axis") {
  File file;
  file.thread(9, 1, 1).packet([](pbf_writer& packet) {
    pbf_writer snapshot(packet, perfetto::packet::kClockSnapshot);
    {
      pbf_writer boot(snapshot, perfetto::snapshot::kClocks);
      boot.add_uint32(perfetto::snapshot::kId, 6);
      boot.add_uint64(perfetto::snapshot::kTime, 1'000'000);
    }
    pbf_writer own(snapshot, perfetto::snapshot::kClocks);
    own.add_uint32(perfetto::snapshot::kId, 64);
    own.add_uint64(perfetto::snapshot::kTime, 7);
    own.add_bool(perfetto::snapshot::kIsIncremental, true);
    own.add_uint64(perfetto::snapshot::kUnitNs, 1000);
  });
  file.event(5, perfetto::event::kBegin, 9, "range", "app", 64).event(2, perfetto::event::kEnd, 9, "", "", 64);
  const Trace trace = imported(file.bytes());
  REQUIRE(trace.nvtx.size() == 1);
  CHECK(range_span(trace, 0) == Span{1'005'000, 1'007'000});
}

TEST_CASE("a field of another type than the format says makes its packet malformed, no more") {
  File file;
  file.thread(9, 1, 1).event(1000, perfetto::event::kBegin, 9, "a", "b").event(2000, perfetto::event::kEnd, 9);
  file.raw(std::string("\x58\x05\x50\x01", 4));  // an event that is a number
  file.raw(std::string("\x42\x01x\x50\x01", 5));  // a time that is a text
  const Trace trace = imported(file.bytes());
  CHECK(trace.nvtx.size() == 1);
  CHECK(counted(trace, "malformed") == 2);
}

TEST_CASE("malformed packets are counted, a file that is cut off is read as far as it goes") {
  File file;
  file.thread(9, 1, 1).event(1000, perfetto::event::kBegin, 9, "a", "b").raw("\x08\xff\xff").event(2000, perfetto::event::kEnd, 9).event(3000, perfetto::event::kEnd, 9);
  const Trace trace = imported(file.bytes());
  CHECK(trace.nvtx.size() == 1);
  CHECK(counted(trace, "malformed") == 1);
  CHECK(counted(trace, "without having begun") == 1);
  const Trace cut = imported(file.bytes().substr(0, file.bytes().size() - 3));
  CHECK_FALSE(cut.metadata.complete);
  CHECK(cut.metadata.incomplete_why == "the file ends in the middle");
  CHECK(cut.nvtx.size() == 1);
}

}  // namespace
}  // namespace gputrace::trace
