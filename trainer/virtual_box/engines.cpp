#include "trainer/virtual_box/engines.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace trainer::virtual_box {
namespace {

// Slots are counted in billionths of a GPU, rounded down: sums stay exact however many kernels come, and thirds fit thrice.
constexpr std::int64_t kAllSlots = 1'000'000'000;
constexpr double kUncapped = std::numeric_limits<double>::infinity();

}  // namespace

Multiprocessors::Multiprocessors(Scheduler& scheduler)
    : scheduler_(scheduler), rates_(scheduler), arithmetic_(rates_.add_link(1)), memory_(rates_.add_link(1)), free_slots_(kAllSlots) {}

void Multiprocessors::run(const GpuDemand& demand, Done done) {
  ready_.push_back({static_cast<std::int64_t>(demand.slot_share * kAllSlots), demand, std::move(done)});
  start_fitting();
}

void Multiprocessors::start_fitting() {
  while (!ready_.empty() && ready_.front().slots <= free_slots_) {
    Ready kernel = std::move(ready_.front());
    ready_.pop_front();
    start(std::move(kernel));
  }
}

void Multiprocessors::start(Ready kernel) {
  free_slots_ -= kernel.slots;
  FlowDemand pace{1, {{arithmetic_, kernel.demand.arithmetic_use}, {memory_, kernel.demand.memory_use}}};
  rates_.start(kernel.demand.alone_ns, std::move(pace),
               [this, slots = kernel.slots, start_ns = scheduler_.now_ns(), done = std::move(kernel.done)] {
                 free_slots_ += slots;
                 done({start_ns, scheduler_.now_ns()});
                 start_fitting();
               });
}

CopyEngines::CopyEngines(Scheduler& scheduler, FluidNetwork& links, int engines, std::int64_t start_cost_ns)
    : scheduler_(scheduler), links_(links), free_(engines), start_cost_ns_(start_cost_ns) {}

void CopyEngines::run(double bytes, FlowDemand way, Done done) {
  ready_.push_back({bytes, std::move(way), std::move(done)});
  start_next();
}

void CopyEngines::start_next() {
  if (free_ == 0 || ready_.empty()) return;
  --free_;
  const auto copy = std::make_shared<Ready>(std::move(ready_.front()));  // shared: std::function wants copies
  ready_.pop_front();
  const std::int64_t start_ns = scheduler_.now_ns();
  scheduler_.at(start_ns + start_cost_ns_, [this, copy, start_ns] {
    links_.start(copy->bytes, copy->way, [this, copy, start_ns] {
      ++free_;
      copy->done({start_ns, scheduler_.now_ns()});
      start_next();
    });
  });
}

HostProcessor::HostProcessor(FluidNetwork& links, int host_memory_link, const MachineProfile& machine)
    : links_(links), host_memory_link_(host_memory_link), machine_(machine) {}

void HostProcessor::run(const Work& work, int threads, std::function<void()> done) {
  const bool has_traffic = work.bytes > 0;
  Task task{0, work.flops, has_traffic ? work.bytes : 1.0, std::clamp(threads, 1, machine_.host.cores)};
  if (work.flops <= 0 && !has_traffic) task.size = 0;
  tasks_.push_back(task);
  FlowDemand pace{rate_cap(task, granted_cores().back()), {}};
  if (has_traffic) pace.links.push_back({host_memory_link_});
  // The id is known only when start returns, and a flow never ends inside start.
  const auto id = std::make_shared<int>(0);
  *id = links_.start(task.size, std::move(pace), [this, id, done = std::move(done)] {
    std::erase_if(tasks_, [&](const Task& ended) { return ended.flow == *id; });
    regrant();
    done();
  });
  tasks_.back().flow = *id;
  regrant();
}

double HostProcessor::rate_cap(const Task& task, double cores) const {
  if (task.flops <= 0) return kUncapped;
  return task.size * cores * machine_.host.core_gflops() * machine_.efficiency.cpu / task.flops;
}

std::vector<double> HostProcessor::granted_cores() const {
  std::vector<FlowDemand> demands;
  for (const Task& task : tasks_) demands.push_back({static_cast<double>(task.threads), {{0}}});
  std::vector<const FlowDemand*> views;
  for (const FlowDemand& demand : demands) views.push_back(&demand);
  const double cores[] = {static_cast<double>(machine_.host.cores)};
  return max_min_rates(cores, views);
}

void HostProcessor::regrant() {
  const std::vector<double> cores = granted_cores();
  std::vector<std::pair<int, double>> caps;
  for (std::size_t i = 0; i < tasks_.size(); ++i) caps.emplace_back(tasks_[i].flow, rate_cap(tasks_[i], cores[i]));
  links_.set_rate_caps(caps);
}

}  // namespace trainer::virtual_box
