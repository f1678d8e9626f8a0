// What a step would take after changes to the program, by replaying its dependency graph.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "analyzer/metrics.h"
#include "analyzer/remedy.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// Tasks whose time is multiplied: "kernels", "kernels:TEXT" (in the name or its explanation), "class:NAME" (of the metrics),
// "copies", "copies:h2d", "copies:d2h", "copies:p2p", "launches" (host work before them included), "host" (all of the host's
// own time). Factor 0 or more. `left_out`: kernels or copies that are not asked for either, so that the host's calls and the work
// before them go too.
struct Scaling {
  std::string what;
  double factor = 1;
  bool left_out = false;
};
// "kernels:pad=0.5". The error is one line.
tl::expected<Scaling, std::string> parse_scaling(const std::string& text);
tl::expected<Scaling, std::string> parse_removal(const std::string& what);  // "kernels:pad", "copies:d2h"

struct PathShare {  // of the replayed longest chain
  std::string what;  // "kernels: convolution", "host", "launch", "copies host to device", "waiting for the GPU"
  double share = 0;
};

struct Prediction {
  double step_ns = 0, predicted_step_ns = 0;  // means over the window's steps; of the window where there are none
  double speedup() const { return predicted_step_ns > 0 ? step_ns / predicted_step_ns : 1; }
  // How far a replay is off that knows the graph and only typical delays between what depends on each other, not those
  // recorded: a share of the step. What the graph does not explain shows here.
  double replay_error = 0;
  std::vector<Applied> applied;          // in the order asked
  std::vector<PathShare> limits_now, limits_then;  // largest first; sum to 1
  std::vector<std::string> unknown;      // what the trace does not say of the order of things
};

class WhatIf {
 public:
  WhatIf(const trace::Trace& trace, const Metrics& metrics);  // both outlive this; the graph is built when it is first needed
  ~WhatIf();

  // False where there is nothing to replay: no API calls, or no kernels and copies.
  bool possible() const;
  Prediction predict(std::span<const Remedy* const> remedies, std::span<const Scaling> scalings = {}) const;
  // The graph with those changes made; refers to this.
  ChangedGraph change(std::span<const Remedy* const> remedies, std::span<const Scaling> scalings = {}) const;
  // The same as predict() without the paths and the error.
  struct Trial {
    std::size_t count = 0;  // what the remedy changed
    double share_after = 1;  // time after / time now
  };
  Trial try_together(std::span<const Remedy* const> remedies) const;
  double mean_step_ns() const;  // of the window; the window where there are no steps
  double host_work_per_step_ns() const;  // of all threads one after the other, where they take turns or may; else 0
  const DependencyGraph& graph() const;
  const std::vector<HostSequence>& sequences() const;

 private:
  struct Model;
  const Model& model() const;

  const trace::Trace& trace_;
  const Metrics& metrics_;
  mutable std::unique_ptr<Model> model_;
};

}  // namespace gputrace::analyzer
