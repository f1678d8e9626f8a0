// Things that share capacity while they last: copies on links, kernels on a GPU's arithmetic and memory, host work on
// cores. Each is a flow with a size and a highest rate, and uses links with a weight (capacity taken per unit of rate).
// Rates are max-min fair: all grow alike until a link is full or a flow is at its cap. They change only when a flow starts,
// ends or gets another cap, and then the ends are computed anew. Units are the owner's: bytes and bytes/ns, or shares.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace trainer::virtual_box {

class Scheduler;

struct LinkUse {
  int link = 0;
  double weight = 1;
};

struct FlowDemand {
  double rate_cap = 0;          // > 0, units/ns; infinity where only links bound it
  std::vector<LinkUse> links;   // each at most once
};

// The max-min fair rate of each flow. Bertsekas and Gallager, Data Networks (1992), 6.5.2, with weights and caps.
std::vector<double> max_min_rates(std::span<const double> link_capacity, std::span<const FlowDemand* const> flows);

class FluidNetwork {
 public:
  explicit FluidNetwork(Scheduler& scheduler) : scheduler_(scheduler) {}

  int add_link(double capacity);  // units/ns
  // Calls done at the modelled time at which the flow has moved its size; ends of one time come in order of start.
  int start(double size, FlowDemand demand, std::function<void()> done);
  void set_rate_caps(std::span<const std::pair<int, double>> flow_and_cap);

 private:
  struct Flow {
    int id;
    double remaining;           // at since_ns
    FlowDemand demand;
    std::function<void()> done;
    double rate = 0;
    std::int64_t since_ns = 0, end_ns = 0;
  };
  void share();
  void end_flows();
  void schedule_end();

  Scheduler& scheduler_;
  std::vector<double> capacity_;
  std::vector<Flow> flows_;     // in order of start
  int next_id_ = 0;
  std::uint64_t version_ = 0;   // an end that was scheduled under an older one is void
};

}  // namespace trainer::virtual_box
