#include "analyzer/path_reader.h"

#include <algorithm>
#include <map>

#include "analyzer/call_kinds.h"

namespace gputrace::analyzer {
namespace {

const char* calls_of(CallKind kind) {
  switch (kind) {
    case CallKind::launch: return "launch calls";
    case CallKind::copy: return "copy calls";
    case CallKind::synchronize: return "synchronization calls";
    case CallKind::allocate: return "allocation calls";
    case CallKind::load: return "module loads";
    default: return "other calls";
  }
}

}  // namespace

std::vector<PathPart> by_time(const std::map<std::string, std::int64_t>& ns) {
  std::vector<PathPart> parts;
  for (const auto& [what, part_ns] : ns) parts.push_back({what, part_ns});
  std::stable_sort(parts.begin(), parts.end(), [](const PathPart& a, const PathPart& b) { return a.ns > b.ns; });
  return parts;
}

std::vector<PathPart> PathReader::parts(const Replayed& replayed) {
  std::map<std::string, std::int64_t> ns;
  const std::vector<Moment> path = critical_path(graph_, replayed);
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const std::int64_t part_ns = replayed.at_ns[path[i]] - replayed.at_ns[path[i + 1]];
    if (part_ns > 0) ns[text_of(path[i], graph_.edges[replayed.binding_edge[path[i]]])] += part_ns;
  }
  return by_time(ns);
}

std::string PathReader::text_of(Moment to, const Edge& edge) {
  const Task task = task_of(to);
  switch (edge.kind) {
    case EdgeKind::program:
    case EdgeKind::handover:
    case EdgeKind::step: return "host between calls";
    case EdgeKind::launch: return "launches";
    case EdgeKind::would_block:
    case EdgeKind::blocking: return "calls that wait for the GPU";
    case EdgeKind::duration:
    case EdgeKind::collective: break;
    default: return "between activities on the GPU";
  }
  switch (graph_.kind[task]) {
    case TaskKind::call: return calls_of(call_kind(trace_.text(trace_.api_calls.name[graph_.row[task]])));
    case TaskKind::kernel: return "kernels: " + explainer_.explain(trace_.text(trace_.kernels.name[graph_.row[task]])).op_class;
    case TaskKind::copy: return std::string("copies ") + name(trace_.copies.kind[graph_.row[task]]);
    case TaskKind::meeting: return "other GPUs in a collective";
    case TaskKind::graph: return "CUDA graphs";
    default: return "fills";
  }
}

}  // namespace gputrace::analyzer
