#include <set>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "collector/guest/buffer_pool.h"

using gputrace::guest::BufferPool;

TEST_CASE("A pool gives as many buffers as fit, and no more") {
  BufferPool pool;
  REQUIRE(pool.create(10 * 4096 + 100, 4096));
  CHECK(pool.count() == 10);
  std::set<std::uint8_t*> buffers;
  for (int i = 0; i < 10; ++i) buffers.insert(pool.acquire());
  CHECK(buffers.size() == 10);
  CHECK_FALSE(buffers.contains(nullptr));
  CHECK(pool.acquire() == nullptr);
  pool.release(*buffers.begin());
  CHECK(pool.acquire() == *buffers.begin());
}

TEST_CASE("A pool smaller than one buffer still has one") {
  BufferPool pool;
  REQUIRE(pool.create(1, 4096));
  CHECK(pool.acquire() != nullptr);
  CHECK(pool.acquire() == nullptr);
}

TEST_CASE("Threads never share a buffer") {
  BufferPool pool;
  REQUIRE(pool.create(70 * 4096, 4096));  // more than one word of bits
  std::atomic<int> shared{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        std::uint8_t* buffer = pool.acquire();
        if (buffer == nullptr) continue;
        if (*buffer != 0) ++shared;
        *buffer = 1;
        *buffer = 0;
        pool.release(buffer);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(shared == 0);
}
