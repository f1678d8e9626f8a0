#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "collector/guest/buffer_pool.h"
#include "collector/guest/lane.h"
#include "collector/spool_reader.h"

using namespace gputrace;
using guest::Lane;
using spool::RecordType;

namespace {

struct Lanes {
  guest::BufferPool pool;
  guest::LaneServices services;
  std::atomic<int> wakes{0};
  explicit Lanes(std::size_t blocks) {
    REQUIRE(pool.create(blocks * guest::kBlockBytes, guest::kBlockBytes));
    services.blocks = &pool;
    services.recording = true;
    services.context = &wakes;
    services.block_is_full = [](void* context) noexcept { ++*static_cast<std::atomic<int>*>(context); };
  }
};

std::vector<std::uint32_t> ids(Lane& lane, bool all) {
  std::vector<std::uint32_t> found;
  lane.drain(all, [&](const std::uint8_t* data, std::uint32_t bytes) {
    CHECK(bytes % 8 == 0);
    CHECK(collector::for_each_record({data, bytes},
                                     [&](const spool::RecordHeader& header, auto) { found.push_back(header.id); }));
  });
  return found;
}

}  // namespace

TEST_CASE("A partial block is handed out only when all is asked for, and each record once") {
  Lanes lanes(4);
  Lane lane(lanes.services, 1, 10, 1000);
  lane.write(RecordType::thread, spool::ThreadRecord{{.id = 1}});
  CHECK(ids(lane, false).empty());
  CHECK(ids(lane, true) == std::vector<std::uint32_t>{1});
  CHECK(ids(lane, true).empty());
  lane.write(RecordType::thread, spool::ThreadRecord{{.id = 2}});
  CHECK(ids(lane, true) == std::vector<std::uint32_t>{2});
}

TEST_CASE("Nothing is written, or counted as dropped, once recording is off") {
  Lanes lanes(4);
  Lane lane(lanes.services, 1, 10, 1000);
  lanes.services.recording = false;
  CHECK_FALSE(lane.write(RecordType::thread, spool::ThreadRecord{{.id = 1}}));
  CHECK(lane.text("x") == 0);
  CHECK(lanes.services.dropped_no_buffer == 0);
}

TEST_CASE("What a thread writes arrives whole and in order while another reads behind it") {
  constexpr std::uint32_t kRecords = 300'000;
  Lanes lanes(16);
  Lane lane(lanes.services, 1, 10, 1000);
  std::atomic<bool> done{false};
  std::vector<std::uint32_t> read;
  std::thread reader([&] {
    while (!done) {
      const auto some = ids(lane, read.size() % 3 == 0);
      read.insert(read.end(), some.begin(), some.end());
    }
    const auto rest = ids(lane, true);
    read.insert(read.end(), rest.begin(), rest.end());
  });
  std::uint32_t written = 0;
  for (std::uint32_t id = 1; id <= kRecords; ++id)
    written += lane.write(RecordType::thread, spool::ThreadRecord{{.id = id}});
  done = true;
  reader.join();
  CHECK(written + lanes.services.dropped_no_buffer == kRecords);
  CHECK(read.size() == written);
  CHECK(std::is_sorted(read.begin(), read.end()));
  CHECK(lanes.wakes > 0);
}

TEST_CASE("Several lanes share the pool; what finds no block is counted in one account") {
  constexpr std::uint32_t kRecords = 50'000;
  Lanes lanes(8);
  std::vector<std::unique_ptr<Lane>> all;
  for (std::uint32_t id = 1; id <= 4; ++id) all.push_back(std::make_unique<Lane>(lanes.services, id, 10, 1000));
  std::atomic<std::uint64_t> written{0};
  std::atomic<bool> done{false};
  std::uint64_t read = 0;
  std::thread reader([&] {
    bool last = false;
    while (!last) {
      last = done;
      for (auto& lane : all) read += ids(*lane, last).size();
    }
  });
  std::vector<std::thread> writers;
  for (auto& lane : all) {
    writers.emplace_back([&written, raw = lane.get()] {
      for (std::uint32_t id = 1; id <= kRecords; ++id)
        written += raw->write(RecordType::thread, spool::ThreadRecord{{.id = id}});
    });
  }
  for (auto& writer : writers) writer.join();
  done = true;
  reader.join();
  CHECK(read == written);
  CHECK(written + lanes.services.dropped_no_buffer == 4 * kRecords);
}

TEST_CASE("A text is written once, before the record that names it") {
  Lanes lanes(4);
  Lane lane(lanes.services, 1, 10, 1000);
  const std::uint32_t first = lane.text("step"), again = lane.text("step"), other = lane.text("epoch");
  CHECK(first == again);
  CHECK(first != other);
  CHECK(lane.text("") == 0);
  CHECK(ids(lane, true).size() == 2);
}
