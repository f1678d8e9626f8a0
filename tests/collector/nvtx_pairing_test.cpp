#include <optional>
#include <vector>

#include <catch2/catch.hpp>

#include "collector/nvtx_pairing.h"

using gputrace::collector::NvtxPairing;
using gputrace::trace::NvtxRow;

namespace {

constexpr std::uint64_t kThread = 100, kOther = 200;
constexpr std::uint16_t kNoLevel = UINT16_MAX;

struct Paired {
  std::vector<NvtxRow> rows;
  NvtxPairing pairing{[this](const NvtxRow& row) { rows.push_back(row); }};

  void push(std::int64_t time, std::uint16_t level, std::int64_t domain = 0, std::uint64_t thread = kThread) {
    pairing.push(row(time, domain, thread), level);
  }
  void pop(std::int64_t time, std::uint16_t level, std::int64_t domain = 0) {
    pairing.pop(kThread, domain, level, time);
  }
  static NvtxRow row(std::int64_t time, std::int64_t domain = 0, std::uint64_t thread = kThread,
                     std::int64_t range = 0) {
    NvtxRow made;
    made.start_ns = time;
    made.domain = domain;
    made.global_tid = thread;
    made.range_id = range;
    return made;
  }
  std::optional<std::int64_t> end_of(std::int64_t start) const {
    for (const NvtxRow& made : rows) {
      if (made.start_ns == start) return made.end_ns;
    }
    FAIL("no range that starts at " << start);
    return {};
  }
};

}  // namespace

TEST_CASE("Nested ranges end in reverse order, each domain by itself") {
  Paired p;
  p.push(1, 0), p.push(2, 1), p.push(3, 0, 7), p.pop(4, 1), p.pop(5, 0, 7), p.pop(6, 0);
  CHECK(p.end_of(2) == 4);
  CHECK(p.end_of(3) == 5);
  CHECK(p.end_of(1) == 6);
  CHECK(p.pairing.ends_without_begin() == 0);
}

TEST_CASE("A push that was dropped costs its own range only") {
  Paired p;
  p.push(1, 0), /* level 1 dropped */ p.push(3, 2), p.pop(4, 2), p.pop(5, 1), p.pop(6, 0);
  CHECK(p.end_of(3) == 4);
  CHECK(p.end_of(1) == 6);
  CHECK(p.rows.size() == 2);
  CHECK(p.pairing.ends_without_begin() == 1);
}

TEST_CASE("A pop that was dropped ends its range at the next event") {
  Paired p;
  p.push(1, 0), p.push(2, 1), /* pop of level 1 dropped */ p.pop(9, 0);
  CHECK(p.end_of(2) == 9);
  CHECK(p.end_of(1) == 9);
  CHECK(p.pairing.begins_without_end() == 1);

  Paired q;
  q.push(1, 0), /* pop dropped */ q.push(5, 0), q.pop(6, 0);
  CHECK(q.end_of(1) == 5);
  CHECK(q.end_of(5) == 6);
}

TEST_CASE("A pop without any push is counted") {
  Paired p;
  p.pop(1, kNoLevel);
  p.push(2, 0), p.pop(3, 0), p.pop(4, kNoLevel);
  CHECK(p.rows.size() == 1);
  CHECK(p.pairing.ends_without_begin() == 2);
}

TEST_CASE("What is open at the end has no end") {
  Paired p;
  p.push(1, 0), p.pairing.start(Paired::row(2, 0, kThread, 77)), p.pairing.finish();
  CHECK(p.end_of(1) == std::nullopt);
  CHECK(p.end_of(2) == std::nullopt);
}

TEST_CASE("A new thread with an old id starts with an empty stack") {
  Paired p;
  p.push(1, 0), p.pairing.thread_begins(kThread), p.push(5, 0), p.pop(6, 0);
  CHECK(p.end_of(1) == std::nullopt);
  CHECK(p.end_of(5) == 6);
}

TEST_CASE("A start/end range may end on another thread, and its end may come first") {
  Paired p;
  p.pairing.start(Paired::row(1, 0, kThread, 5)), p.pairing.end(5, kOther, 4);
  p.pairing.end(6, kThread, 9), p.pairing.start(Paired::row(2, 0, kThread, 6));
  CHECK(p.end_of(1) == 4);
  CHECK(p.rows.at(0).end_global_tid == kOther);
  CHECK(p.end_of(2) == 9);
  CHECK(p.rows.at(1).end_global_tid == std::nullopt);
  p.pairing.end(8, kThread, 10);
  CHECK(p.pairing.ends_without_begin() == 1);
}
