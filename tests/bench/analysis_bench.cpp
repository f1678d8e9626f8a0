// LINKS: gputrace_analyzer fmt::fmt
// The analysis of a large trace: steps and partition, dependency graph, one replay, critical path. Limits: 10 million events in 15 s
// on one core, 200 bytes an event besides the trace, time linear in events. analysis_bench [EVENTS...] takes one size after the other,
// the smallest first, since the peak of memory never falls.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <fmt/format.h>

#include "analyzer/analyze.h"
#include "analyzer/metrics.h"
#include "analyzer/replay/dependency_graph.h"
#include "analyzer/replay/replay.h"
#include "tests/bench/training_trace.h"

namespace {

using namespace gputrace;

constexpr double kLimitNsPerEvent = 1'500;  // 15 s for 10 million
constexpr double kLimitBytesPerEvent = 200;

double resident_bytes() {
  long pages = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

// Processor time, which other work on the machine does not lengthen: all stages run on this thread.
double processor_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

class Stages {
 public:
  template <class Work>
  auto time(const char* what, Work work) {
    const double start_s = processor_s();
    auto made = work();
    const double s = processor_s() - start_s;
    total_s_ += s;
    fmt::print("  {:<22}{:8.2f} s\n", what, s);
    return made;
  }
  double total_s() const { return total_s_; }

 private:
  double total_s_ = 0;
};

void measure(std::size_t wanted) {
  const trace::Trace trace = bench::TrainingTrace::of_events(wanted);
  const std::size_t events = trace.kernels.size() + trace.copies.size() + trace.api_calls.size() + trace.synchronizations.size() + trace.cuda_events.size();
  fmt::print("{} events\n", events);
  const double before_bytes = resident_bytes();
  Stages stages;
  const auto metrics = stages.time("steps and partition", [&] { return analyzer::measure(trace); });
  const auto graph = stages.time("dependency graph", [&] { return analyzer::build_dependency_graph(trace, metrics.steps, metrics.window); });
  const auto replayed = stages.time("replay", [&] { return analyzer::replay(graph); });
  const auto path = stages.time("critical path", [&] { return analyzer::critical_path(graph, replayed); });
  const double core_s = stages.total_s(), core_bytes = peak_bytes() - before_bytes;
  stages.time("whole diagnosis", [&] { return analyzer::analyze(trace); });
  const double ns_per_event = core_s * 1e9 / static_cast<double>(events), bytes_per_event = core_bytes / static_cast<double>(events);
  fmt::print("  {:.2f} edges an event, {} moments on the path, replay {:+} ns off\n", static_cast<double>(graph.edges.size()) / static_cast<double>(events),
             path.size(), (replayed.end_ns - replayed.start_ns) - (*std::max_element(graph.recorded_ns.begin(), graph.recorded_ns.end()) - *std::min_element(graph.recorded_ns.begin(), graph.recorded_ns.end())));
  fmt::print("  {:.0f} ns an event, {:.2f} of the limit; {:.0f} bytes an event at peak besides the trace, {:.2f} of the limit\n", ns_per_event,
             ns_per_event / kLimitNsPerEvent, bytes_per_event, bytes_per_event / kLimitBytesPerEvent);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::size_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {1'000'000, 3'000'000, 10'000'000};
  for (const std::size_t events : sizes) measure(events);
}
