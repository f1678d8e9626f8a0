#include "trainer/cuda/host_threads.h"

#include <thread>

namespace trainer::cuda {

namespace {

thread_local int its_lane = 0;

}  // namespace

int HostThreads::lane() { return its_lane; }

void HostThreads::run(const std::vector<std::pair<std::string, std::function<void()>>>& named_threads) {
  const auto guarded = [this](const std::function<void()>& body) {
    try {
      body();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      changed_.notify_all();
    }
  };
  {
    std::vector<std::jthread> threads;  // joined here, also where no more can be started
    for (const auto& named : named_threads) {
      threads.emplace_back([&guarded, &named, lane = static_cast<int>(threads.size()) + 1] {
        its_lane = lane;
        guarded(named.second);
      });
    }
  }
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

Counter HostThreads::create_counter() {
  const std::lock_guard lock(mutex_);
  counters_.push_back(0);
  return {static_cast<int>(counters_.size()) - 1};
}

void HostThreads::advance(Counter counter) {
  const std::lock_guard lock(mutex_);
  ++counters_[static_cast<std::size_t>(counter.id)];
  changed_.notify_all();
}

void HostThreads::wait_until_reached(Counter counter, std::int64_t value) {
  std::unique_lock lock(mutex_);
  const std::int64_t& reached = counters_[static_cast<std::size_t>(counter.id)];
  changed_.wait(lock, [&] { return failure_ || reached >= value; });
  if (reached < value) std::rethrow_exception(failure_);
}

}  // namespace trainer::cuda
