// Host threads that hand work to each other, and end together when one of them fails.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "trainer/backend.h"

namespace trainer::cuda {

class HostThreads {
 public:
  // The calling thread's place among those that run() started together, from 1 on; 0 on a thread that it did not start. Two threads
  // that work at the same time have different places, or work for different calls of run().
  static int lane();

  // Each function on a thread of its own; returns when all have. Throws what the first one that failed threw. May be called from
  // such a thread.
  void run(const std::vector<std::pair<std::string, std::function<void()>>>& named_threads);

  Counter create_counter();  // at zero
  void advance(Counter counter);
  // Throws what another thread failed with: it will not advance the counter any more.
  void wait_until_reached(Counter counter, std::int64_t value);

 private:
  std::mutex mutex_;  // of all
  std::condition_variable changed_;
  std::deque<std::int64_t> counters_;
  std::exception_ptr failure_;  // the first
};

}  // namespace trainer::cuda
