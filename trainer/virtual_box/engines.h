// What executes a stream's commands: a GPU's multiprocessors, its copy engines, and the host's cores.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "trainer/virtual_box/fluid_network.h"
#include "trainer/virtual_box/kernel_model.h"
#include "trainer/virtual_box/scheduler.h"

namespace trainer::virtual_box {

struct Span {
  std::int64_t start_ns = 0, end_ns = 0;
};
using Done = std::function<void(Span)>;

// Ready kernels start in the order in which they became ready, while their slots fit: one that fills the GPU runs alone.
// Kernels that run together share arithmetic and memory bandwidth, so two that are bound by the same one gain nothing.
class Multiprocessors {
 public:
  explicit Multiprocessors(Scheduler& scheduler);
  void run(const GpuDemand& demand, Done done);

 private:
  struct Ready { std::int64_t slots; GpuDemand demand; Done done; };
  void start_fitting();
  void start(Ready kernel);

  Scheduler& scheduler_;
  FluidNetwork rates_;
  int arithmetic_, memory_;  // links of rates_, capacity 1
  std::int64_t free_slots_;
  std::deque<Ready> ready_;
};

// The engines of one direction of one GPU. A copy occupies one from its set-up to its last byte; others wait in ready order.
class CopyEngines {
 public:
  CopyEngines(Scheduler& scheduler, FluidNetwork& links, int engines, std::int64_t start_cost_ns);
  void run(double bytes, FlowDemand way, Done done);

 private:
  struct Ready { double bytes; FlowDemand way; Done done; };
  void start_next();

  Scheduler& scheduler_;
  FluidNetwork& links_;
  int free_;
  std::int64_t start_cost_ns_;
  std::deque<Ready> ready_;
};

// The host's cores, shared max-min fairly among the works at hand, each up to the threads it can use. Memory traffic is a
// flow through host memory beside the copies'. Index operations cost a processor nothing of their own.
class HostProcessor {
 public:
  HostProcessor(FluidNetwork& links, int host_memory_link, const MachineProfile& machine);
  // Alone: max(flops / (cores * core peak * efficiency), bytes / (bandwidth * efficiency)).
  void run(const Work& work, int threads, std::function<void()> done);

 private:
  struct Task {
    int flow;
    double flops, size;  // size: what the flow counts, bytes or (without traffic) the work as a whole
    int threads;
  };
  std::vector<double> granted_cores() const;
  double rate_cap(const Task& task, double cores) const;
  void regrant();

  FluidNetwork& links_;
  int host_memory_link_;
  const MachineProfile& machine_;
  std::vector<Task> tasks_;  // in order of start
};

}  // namespace trainer::virtual_box
