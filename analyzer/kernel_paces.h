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

  // Mean time on its own GPU over the median of the means on the others, where its GPU as a whole is slow (thresholds::kSlowGpuFactor);
  // 1 elsewhere, where no other GPU runs its like, and of collectives, which wait for each other.
  double factor(std::size_t kernel) const;

  struct Slowest {
    trace::DeviceId device{};
    double factor = 1;  // over all kernels that run on several GPUs, or all but the one that costs most against the others: a slow
                        // clock slows many kernels, other data (an embedding's rows) one
  };
  std::optional<Slowest> slowest() const;

 private:
  using Key = std::tuple<std::uint32_t, std::int64_t, std::int64_t>;
  struct Sum {
    double ns = 0, count = 0;
    double others_ns = 0;  // the median of the others' means; 0: no other GPU runs it
    double mean_ns() const { return ns / count; }
  };
  using Sums = std::map<trace::DeviceId, Sum>;
  static double others_ns(const Sums& sums, trace::DeviceId own);
  void find_paces();
  Key key_of(std::size_t kernel) const;

  const trace::Trace& trace_;
  std::map<Key, Sums> like_;
  std::map<trace::DeviceId, double> paces_;  // factors as above
};

}  // namespace gputrace::analyzer
