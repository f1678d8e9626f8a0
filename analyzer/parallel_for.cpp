#include "analyzer/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "analyzer/threshold_settings.h"

namespace gputrace::analyzer {

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto take_all = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  const auto take_all_by_same_limits = [&, settings = ThresholdScope::in_use()] {
    const ThresholdScope scope(settings);
    take_all();
  };
  const std::size_t threads = std::min<std::size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::future<void>> others;
  for (std::size_t i = 1; i < threads; ++i) others.push_back(std::async(std::launch::async, take_all_by_same_limits));
  take_all();
  for (std::future<void>& other : others) other.get();
}

}  // namespace gputrace::analyzer
