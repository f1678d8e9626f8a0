#include "trainer/virtual_box/fluid_network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "trainer/virtual_box/scheduler.h"

namespace trainer::virtual_box {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kFullness = 1e-12;  // share of a capacity below which what is left of it is rounding

struct Filling {
  std::vector<double> left, weight;  // per link: capacity not given away, and what the growing flows take per unit
  double growth(std::span<const double> capacity) const {
    double least = kUnbounded;
    for (std::size_t i = 0; i < capacity.size(); ++i)
      if (weight[i] > 0) least = std::min(least, std::max(0.0, left[i]) / weight[i]);
    return least;
  }
};

bool is_bound(const FlowDemand& flow, double rate, const Filling& filling, std::span<const double> capacity) {
  if (rate >= flow.rate_cap * (1 - kFullness)) return true;
  return std::any_of(flow.links.begin(), flow.links.end(),
                     [&](const LinkUse& use) { return use.weight > 0 && filling.left[use.link] <= capacity[use.link] * kFullness; });
}

}  // namespace

std::vector<double> max_min_rates(std::span<const double> link_capacity, std::span<const FlowDemand* const> flows) {
  std::vector<double> rates(flows.size(), 0.0);
  std::vector<std::size_t> growing(flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) growing[i] = i;
  Filling filling{{link_capacity.begin(), link_capacity.end()}, {}};
  while (!growing.empty()) {
    filling.weight.assign(link_capacity.size(), 0.0);
    for (std::size_t i : growing)
      for (const LinkUse& use : flows[i]->links) filling.weight[use.link] += use.weight;
    double growth = filling.growth(link_capacity);
    for (std::size_t i : growing) growth = std::min(growth, flows[i]->rate_cap - rates[i]);
    if (growth == kUnbounded) {  // no link and no cap: instantaneous
      for (std::size_t i : growing) rates[i] = kUnbounded;
      break;
    }
    for (std::size_t i : growing) {
      rates[i] += growth;
      for (const LinkUse& use : flows[i]->links) filling.left[use.link] -= growth * use.weight;
    }
    const auto bound = [&](std::size_t i) { return is_bound(*flows[i], rates[i], filling, link_capacity); };
    for (std::size_t i : growing)
      if (rates[i] >= flows[i]->rate_cap * (1 - kFullness)) rates[i] = flows[i]->rate_cap;  // exact, so a lone flow is too
    std::erase_if(growing, bound);
  }
  return rates;
}

int FluidNetwork::add_link(double capacity) {
  capacity_.push_back(capacity);
  return static_cast<int>(capacity_.size()) - 1;
}

int FluidNetwork::start(double size, FlowDemand demand, std::function<void()> done) {
  const int id = next_id_++;
  flows_.push_back({id, size, std::move(demand), std::move(done), 0, scheduler_.now_ns(), 0});
  share();
  return id;
}

void FluidNetwork::set_rate_caps(std::span<const std::pair<int, double>> flow_and_cap) {
  for (const auto& [id, cap] : flow_and_cap)
    for (Flow& flow : flows_)
      if (flow.id == id) flow.demand.rate_cap = cap;
  share();
}

void FluidNetwork::share() {
  std::vector<const FlowDemand*> demands;
  for (const Flow& flow : flows_) demands.push_back(&flow.demand);
  const std::vector<double> rates = max_min_rates(capacity_, demands);
  const std::int64_t now_ns = scheduler_.now_ns();
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    Flow& flow = flows_[i];
    if (rates[i] == flow.rate) continue;  // its end stands as computed, without a second rounding
    if (flow.rate > 0) flow.remaining = std::max(0.0, flow.remaining - flow.rate * static_cast<double>(now_ns - flow.since_ns));
    flow.rate = rates[i];
    flow.since_ns = now_ns;
    flow.end_ns = now_ns + std::llround(flow.remaining / flow.rate);
  }
  schedule_end();
}

void FluidNetwork::schedule_end() {
  ++version_;
  if (flows_.empty()) return;
  const auto first = std::min_element(flows_.begin(), flows_.end(), [](const Flow& a, const Flow& b) { return a.end_ns < b.end_ns; });
  scheduler_.at(first->end_ns, [this, version = version_] {
    if (version == version_) end_flows();
  });
}

void FluidNetwork::end_flows() {
  const std::int64_t now_ns = scheduler_.now_ns();
  std::vector<std::function<void()>> ended;
  for (Flow& flow : flows_)
    if (flow.end_ns <= now_ns) ended.push_back(std::move(flow.done));
  std::erase_if(flows_, [now_ns](const Flow& flow) { return flow.end_ns <= now_ns; });
  share();
  for (const auto& done : ended) done();
}

}  // namespace trainer::virtual_box
