// How long like kernels take on each GPU: the same name and launch shape.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

class KernelPaces {
 public:
  KernelPaces(const trace::Trace& trace, const Metrics& metrics);  // in the window; both outlive this

  // Mean time on its own GPU over that on the GPU where its like are fastest; 1 where no other GPU runs them, and of collectives, which
  // wait for each other.
  double factor(std::size_t kernel) const;

  struct Slowest {
    trace::DeviceId device{};
    double factor = 1;  // over all kernels that run on several GPUs
  };
  std::optional<Slowest> slowest() const;

 private:
  using Key = std::tuple<std::uint32_t, std::int64_t, std::int64_t>;
  struct Sum {
    double ns = 0, count = 0;
    double mean_ns() const { return ns / count; }
  };
  using Sums = std::map<trace::DeviceId, Sum>;
  static double best_ns(const Sums& sums);
  Key key_of(std::size_t kernel) const;

  const trace::Trace& trace_;
  std::map<Key, Sums> like_;
};

}  // namespace gputrace::analyzer
