#include "analyzer/work_parts.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analyzer/charts/copy_sizes.h"
#include "analyzer/parallel_for.h"

namespace gputrace::analyzer {
namespace {

using trace::Span;
using trace::Trace;

// What runs, as an index into its names; classes of computing come first, then copies.
struct Kinds {
  std::vector<std::string> classes, copies;
  std::uint32_t class_of(const std::string& name) { return index(classes, name); }
  std::uint32_t copy_of(const std::string& name) { return index(copies, name); }

 private:
  static std::uint32_t index(std::vector<std::string>& names, const std::string& name) {
    const auto known = std::find(names.begin(), names.end(), name);
    if (known != names.end()) return static_cast<std::uint32_t>(known - names.begin());
    names.push_back(name);
    return static_cast<std::uint32_t>(names.size() - 1);
  }
};

enum class Group : std::uint8_t { compute, communication, copy, fill };

struct Change {
  std::int64_t ns;
  Group group;
  std::uint32_t kind;
  int by;
};

// How many of each kind run, and which one where it is one alone.
class Running {
 public:
  void change(std::uint32_t kind, int by) {
    if (kind >= counts_.size()) counts_.resize(kind + 1);
    const bool before = counts_[kind] > 0;
    counts_[kind] += by;
    kinds_ += static_cast<int>(counts_[kind] > 0) - static_cast<int>(before);
  }
  static constexpr int kNone = -1, kSeveral = -2;
  int only() const {
    if (kinds_ == 0) return kNone;
    if (kinds_ > 1) return kSeveral;
    return static_cast<int>(std::find_if(counts_.begin(), counts_.end(), [](int count) { return count > 0; }) - counts_.begin());
  }

 private:
  std::vector<int> counts_;
  int kinds_ = 0;
};

class Device {
 public:
  void add(Span span, Span window, Group group, std::uint32_t kind) {
    const Span within{std::max(span.start_ns, window.start_ns), std::min(span.end_ns, window.end_ns)};
    if (within.start_ns >= within.end_ns) return;
    changes_.push_back({within.start_ns, group, kind, 1});
    changes_.push_back({within.end_ns, group, kind, -1});
  }

  WorkParts parts(Span window, StepSlots steps, const Kinds& kinds) {
    std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.ns < b.ns; });
    Times in_window;
    std::vector<Times> in_steps(steps.slots().size());
    const auto add = [&](Span piece, const State& state) {
      in_window[state] += piece.duration_ns();
      steps.split(piece, [&](std::size_t slot, std::int64_t ns) { in_steps[slot][state] += ns; });
    };
    Running compute, communication, copies, fills;
    std::int64_t now_ns = window.start_ns;
    for (const Change& change : changes_) {
      if (change.ns > now_ns) add({now_ns, change.ns}, {compute.only(), communication.only(), copies.only(), fills.only()});
      now_ns = change.ns;
      Running& group = change.group == Group::compute ? compute : change.group == Group::communication ? communication : change.group == Group::copy ? copies : fills;
      group.change(change.kind, change.by);
    }
    if (window.end_ns > now_ns) add({now_ns, window.end_ns}, {});
    WorkParts parts{named(in_window, kinds), {}};
    for (const Times& times : in_steps) parts.steps.push_back(named(times, kinds));
    return parts;
  }

 private:
  struct State {
    int compute = Running::kNone, communication = Running::kNone, copy = Running::kNone, fill = Running::kNone;
    friend auto operator<=>(const State&, const State&) = default;
  };

  using Times = std::map<State, std::int64_t>;

  static std::vector<TimePart> named(const Times& times, const Kinds& kinds) {
    std::vector<TimePart> parts;
    for (const auto& [state, ns] : times) parts.push_back({name_of(state, kinds), ns});
    std::sort(parts.begin(), parts.end(), [](const TimePart& a, const TimePart& b) { return std::tie(b.ns, a.key) < std::tie(a.ns, b.key); });
    return parts;
  }

  static std::string name_of(const State& state, const Kinds& kinds) {
    std::string name;
    const auto add = [&](int only, const std::string& one, const char* several) {
      if (only == Running::kNone) return;
      if (!name.empty()) name += " + ";
      name += only == Running::kSeveral ? several : one;
    };
    add(state.compute, state.compute < 0 ? "" : kinds.classes[static_cast<std::size_t>(state.compute)], "several classes");
    add(state.communication, "communication", "communication");
    add(state.copy, state.copy < 0 ? "" : kinds.copies[static_cast<std::size_t>(state.copy)], "several kinds of copy");
    add(state.fill, "fill", "fill");
    return name.empty() ? "idle" : name;
  }

  std::vector<Change> changes_;
};

std::string copy_name(const trace::Copies& copies, std::size_t i) {
  return std::string("copy ") + name(copies.kind[i]) + ", " + host_memory(copies, i);
}

}  // namespace

std::vector<WorkParts> work_parts(const Trace& trace, const Metrics& metrics) {
  Kinds kinds;
  std::map<trace::DeviceId, Device> devices;
  const Span window = metrics.window;
  std::vector<std::int64_t> class_of(trace.strings.size(), -1);  // by name of a kernel
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    const trace::StringId name = trace.kernels.name[i];
    const bool communicates = metrics.is_communication[name.value];
    if (!communicates && class_of[name.value] < 0) class_of[name.value] = kinds.class_of(metrics.kernels.of(name).op_class);
    devices[trace.kernels.device[i]].add(trace.kernels.span(i), window, communicates ? Group::communication : Group::compute,
                                         communicates ? 0 : static_cast<std::uint32_t>(class_of[name.value]));
  }
  std::map<std::tuple<trace::CopyKind, trace::MemoryKind, trace::MemoryKind>, std::uint32_t> kind_of_copy;
  const trace::Copies& copies = trace.copies;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const auto [kind, is_new] = kind_of_copy.try_emplace({copies.kind[i], copies.source_memory[i], copies.destination_memory[i]}, 0);
    if (is_new) kind->second = kinds.copy_of(copy_name(copies, i));
    devices[copies.device[i]].add(copies.span(i), window, Group::copy, kind->second);
  }
  for (std::size_t i = 0; i < trace.fills.size(); ++i) devices[trace.fills.device[i]].add(trace.fills.span(i), window, Group::fill, 0);
  const auto& nodes = trace.kernels.graph_node;
  if (std::none_of(nodes.begin(), nodes.end(), [](std::int64_t node) { return node != 0; })) {
    for (std::size_t i = 0; i < trace.graph_launches.size(); ++i)
      devices[trace.graph_launches.device[i]].add(trace.graph_launches.span(i), window, Group::compute, kinds.class_of("CUDA graph"));
  }
  std::vector<WorkParts> parts(metrics.devices.size());
  for (const DeviceMetrics& device : metrics.devices) devices[device.device];
  parallel_for(parts.size(), [&](std::size_t i) { parts[i] = devices.at(metrics.devices[i].device).parts(window, metrics.step_slots(), kinds); });
  return parts;
}

}  // namespace gputrace::analyzer
