#include "analyzer/what_if.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "analyzer/call_kinds.h"
#include "analyzer/explain.h"
#include "analyzer/path_reader.h"
#include "analyzer/replay/host_turns.h"

namespace gputrace::analyzer {

struct WhatIf::Model {
  Model(const trace::Trace& trace, const Metrics& metrics)
      : source(trace), graph(build_dependency_graph(trace, metrics.steps, metrics.window)), sequences(host_sequences(trace, graph, metrics.steps)) {
    const Replayed replayed = replay(graph);
    recorded_ns = replayed.end_ns - replayed.start_ns;
    turns = find_host_turns(trace, graph, sequences);
  }
  std::int64_t length_after_ns(const ChangedGraph& changed, const Replayed& replayed) const {
    return std::max(replayed.end_ns - replayed.start_ns, one_after_the_other_ns(source, turns, changed, sequences));
  }
  double step_ns(const Metrics& metrics) const { return static_cast<double>(std::max<std::int64_t>(1, recorded_ns)) / metrics.step_count; }
  const trace::Trace& source;
  DependencyGraph graph;
  std::vector<HostSequence> sequences;
  HostTurns turns;
  std::int64_t recorded_ns = 0;  // of the window
};

namespace {

std::int64_t length_ns(const Replayed& replayed) { return replayed.end_ns - replayed.start_ns; }

// Per kind of edge that leads to an activity: half of the activities begin sooner after what they waited for.
Replayed replay_with_typical_delays(const DependencyGraph& graph, const Replayed& recorded) {
  constexpr std::size_t kKinds = static_cast<std::size_t>(EdgeKind::step) + 1;
  std::array<std::vector<std::int64_t>, kKinds> delays;
  const auto is_start_of_activity = [&](Moment moment) {
    return moment % 2 == 0 && is_activity(graph.kind[task_of(moment)]);
  };
  for (Moment moment = 0; moment < graph.moment_count(); ++moment) {
    const std::uint32_t edge = recorded.binding_edge[moment];
    if (edge != UINT32_MAX && is_start_of_activity(moment)) delays[static_cast<std::size_t>(graph.edges[edge].kind)].push_back(graph.edges[edge].lag_ns);
  }
  std::array<std::int64_t, kKinds> typical{};
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (delays[kind].empty()) continue;
    const auto middle = delays[kind].begin() + static_cast<std::ptrdiff_t>(delays[kind].size() / 2);
    std::nth_element(delays[kind].begin(), middle, delays[kind].end());
    typical[kind] = *middle;
  }
  return replay(graph, [&](const DependencyGraph&, Moment to, const Edge& edge) {
    return is_start_of_activity(to) ? typical[static_cast<std::size_t>(edge.kind)] : edge.lag_ns;
  });
}

std::vector<PathShare> shares(const std::vector<PathPart>& parts) {
  std::int64_t total_ns = 0;
  for (const PathPart& part : parts) total_ns += part.ns;
  std::vector<PathShare> shares;
  for (const PathPart& part : parts) shares.push_back({part.what, static_cast<double>(part.ns) / static_cast<double>(total_ns)});
  return shares;
}

bool matches_copy(const std::string& what, trace::CopyKind kind) {
  using trace::CopyKind;
  if (what == "copies:h2d") return kind == CopyKind::host_to_device;
  if (what == "copies:d2h") return kind == CopyKind::device_to_host;
  if (what == "copies:p2p") return kind == CopyKind::peer_to_peer;
  return what == "copies";
}

class Scaler {
 public:
  Scaler(const RemedyInput& input, ChangedGraph& graph) : input_(input), graph_(graph) {}

  Applied apply(const Scaling& scaling) {
    std::size_t count = 0;
    for (Task task = 0; task < input_.graph.task_count(); ++task) count += scale(task, scaling);
    if (scaling.left_out) return {count, fmt::format("{} {} are left out, with the calls that ask for them", count, scaling.what)};
    return {count, fmt::format("{} {} take {:g} of their time", count, scaling.what, scaling.factor)};
  }

 private:
  bool scale(Task task, const Scaling& scaling) {
    switch (input_.graph.kind[task]) {
      case TaskKind::kernel:
        if (!matches_kernel(scaling.what, input_.graph.row[task])) return false;
        scale_activity(task, scaling);
        return true;
      case TaskKind::copy:
        if (!matches_copy(scaling.what, input_.trace.copies.kind[input_.graph.row[task]])) return false;
        scale_activity(task, scaling);
        return true;
      case TaskKind::call: return scale_call(task, scaling);
      case TaskKind::barrier:
        if (scaling.what != "host") return false;
        scale_host_before(task, scaling.factor);
        return true;
      default: return false;
    }
  }

  void scale_activity(Task task, const Scaling& scaling) {
    if (!scaling.left_out) return graph_.scale_duration(task, scaling.factor);
    graph_.leave_out_activity(task);
    if (const auto call = input_.graph.asked_by(task)) graph_.leave_out_call(*call);
  }

  bool scale_call(Task call, const Scaling& scaling) {
    const bool launch = scaling.what == "launches" &&
                        call_kind(input_.trace.text(input_.trace.api_calls.name[input_.graph.row[call]])) == CallKind::launch;
    if (!launch && scaling.what != "host") return false;
    graph_.scale_duration(call, scaling.factor);
    scale_host_before(call, scaling.factor);
    return true;
  }

  void scale_host_before(Task task, double factor) {
    graph_.set_host_work_before(task, static_cast<std::int64_t>(factor * static_cast<double>(graph_.host_work_before_ns(task))));
  }

  bool matches_kernel(const std::string& what, std::uint32_t row) {
    if (what == "kernels") return true;
    const std::size_t colon = what.find(':');
    if (colon == std::string::npos) return false;
    const std::uint32_t name = input_.trace.kernels.name[row].value;
    const auto [known, is_new] = matched_.try_emplace({what, name}, false);
    if (!is_new) return known->second;
    const std::string_view text = input_.trace.text(trace::StringId{name});
    const Explanation& explanation = explainer_.explain(text);
    const std::string value = what.substr(colon + 1);
    if (what.starts_with("class:")) known->second = explanation.op_class == value;
    if (what.starts_with("kernels:"))
      known->second = text.find(value) != std::string_view::npos || explanation.label.find(value) != std::string::npos;
    return known->second;
  }

  const RemedyInput& input_;
  ChangedGraph& graph_;
  Explainer explainer_{{}};
  std::map<std::pair<std::string, std::uint32_t>, bool> matched_;
};

bool names_activities(const std::string& what) {
  return what == "kernels" || what == "copies" || what == "copies:h2d" || what == "copies:d2h" || what == "copies:p2p" ||
         (what.starts_with("kernels:") && what.size() > 8) || (what.starts_with("class:") && what.size() > 6);
}

// "copy:h2d" is "copies:h2d".
std::string in_plural(const std::string& what) {
  const std::size_t end = std::min(what.find(':'), what.size());
  const std::string word = what.substr(0, end);
  for (const auto& [one, many] : {std::pair{"copy", "copies"}, std::pair{"kernel", "kernels"}, std::pair{"launch", "launches"}})
    if (word == one) return many + what.substr(end);
  return what;
}

}  // namespace

tl::expected<Scaling, std::string> parse_scaling(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  Scaling scaling{in_plural(text.substr(0, equals)), 0};
  const std::string number = equals == std::string::npos ? "" : text.substr(equals + 1);
  const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), scaling.factor);
  const bool is_number = !number.empty() && status == std::errc() && end == number.data() + number.size() && scaling.factor >= 0 && scaling.factor <= 1e6;
  if (is_number && (names_activities(scaling.what) || scaling.what == "launches" || scaling.what == "host")) return scaling;
  return tl::unexpected(fmt::format("--scale {}: it is WHAT=FACTOR, WHAT one of kernels, kernels:TEXT, class:NAME, copies, copies:h2d, "
                                    "copies:d2h, copies:p2p, launches, host; FACTOR 0 or more", text));
}

tl::expected<Scaling, std::string> parse_removal(const std::string& what) {
  if (names_activities(in_plural(what))) return Scaling{in_plural(what), 0, true};
  return tl::unexpected(fmt::format("--remove {}: it is one of kernels:TEXT, class:NAME, copies, copies:h2d, copies:d2h, copies:p2p", what));
}

WhatIf::WhatIf(const trace::Trace& trace, const Metrics& metrics) : trace_(trace), metrics_(metrics) {}
WhatIf::~WhatIf() = default;

const WhatIf::Model& WhatIf::model() const {
  if (!model_) model_ = std::make_unique<Model>(trace_, metrics_);
  return *model_;
}

bool WhatIf::possible() const {
  return trace_.has(trace::Table::api_calls) && (trace_.has(trace::Table::kernels) || trace_.has(trace::Table::copies) || trace_.graph_launches.size() > 0) &&
         metrics_.window.duration_ns() > 0;
}

Prediction WhatIf::predict(std::span<const Remedy* const> remedies, std::span<const Scaling> scalings) const {
  const Model& base = model();
  const RemedyInput input{trace_, metrics_, base.graph, base.sequences};
  Prediction prediction;
  prediction.unknown = base.graph.unknown;
  ChangedGraph changed(base.graph);
  for (const Remedy* remedy : remedies) prediction.applied.push_back(remedy->apply(input, changed));
  for (const Scaling& scaling : scalings) prediction.applied.push_back(Scaler(input, changed).apply(scaling));

  const Replayed now = replay(base.graph), then = changed.replayed();
  const auto whole_ns = static_cast<double>(std::max<std::int64_t>(1, base.recorded_ns));
  prediction.step_ns = base.step_ns(metrics_);
  prediction.predicted_step_ns = static_cast<double>(base.length_after_ns(changed, then)) / metrics_.step_count;
  if (base.turns.taken == HostTurns::Taken::cannot_tell)
    prediction.unknown.push_back("whether the host threads take turns: they are taken to, so no step is shorter than their work one after the other");
  prediction.replay_error = std::abs(static_cast<double>(length_ns(replay_with_typical_delays(base.graph, now))) / whole_ns - 1);
  prediction.limits_now = shares(PathReader(trace_, base.graph).parts(now));
  prediction.limits_then = shares(PathReader(trace_, base.graph).parts(then));
  return prediction;
}

ChangedGraph WhatIf::change(std::span<const Remedy* const> remedies, std::span<const Scaling> scalings) const {
  const Model& base = model();
  const RemedyInput input{trace_, metrics_, base.graph, base.sequences};
  ChangedGraph changed(base.graph);
  for (const Remedy* remedy : remedies) remedy->apply(input, changed);
  for (const Scaling& scaling : scalings) Scaler(input, changed).apply(scaling);
  return changed;
}

WhatIf::Trial WhatIf::try_together(std::span<const Remedy* const> remedies) const {
  const Model& base = model();
  ChangedGraph changed(base.graph);
  Trial trial;
  for (const Remedy* remedy : remedies) trial.count += remedy->apply({trace_, metrics_, base.graph, base.sequences}, changed).count;
  if (trial.count > 0) {
    trial.share_after = static_cast<double>(base.length_after_ns(changed, changed.replayed())) /
                        static_cast<double>(std::max<std::int64_t>(1, base.recorded_ns));
  }
  return trial;
}

double WhatIf::host_work_per_step_ns() const {
  const Model& base = model();
  return static_cast<double>(one_after_the_other_ns(trace_, base.turns, ChangedGraph(base.graph), base.sequences)) / metrics_.step_count;
}

const DependencyGraph& WhatIf::graph() const { return model().graph; }
const std::vector<HostSequence>& WhatIf::sequences() const { return model().sequences; }
double WhatIf::mean_step_ns() const { return model().step_ns(metrics_); }

}  // namespace gputrace::analyzer
