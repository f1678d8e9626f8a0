// LINKS: gputrace_gui gputrace_test_support fmt::fmt
// What a frame of the viewer costs: draw lists of 1600 x 900 at every zoom, 8 GPUs x 4 streams, in bursts
// with pauses; and what it costs to open a file.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include "gui/canvas.h"
#include "gui/viewer_draw.h"
#include "trace/trace_preview.h"
#include "trace/trace_reader.h"

namespace {

using namespace gputrace;
using Clock = std::chrono::steady_clock;

constexpr double kFrameLimitMs = 8;
constexpr double kBytesLimit = 40;
constexpr double kOpeningLimitSeconds = 2;
constexpr int kGpus = 8, kStreams = 4;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void add_kernel(trace::Trace& trace, std::int64_t start_ns, std::int64_t end_ns, int gpu, int stream,
                trace::StringId name) {
  trace::Kernels& k = trace.kernels;
  k.start_ns.push_back(start_ns);
  k.end_ns.push_back(end_ns);
  k.device.push_back(trace::DeviceId{gpu});
  k.context.push_back(trace::ContextId{1});
  k.stream.push_back(trace::StreamId{7 + stream});
  k.correlation.push_back(trace::CorrelationId{0});
  k.process.push_back(trace::ProcessIndex{0});
  k.name.push_back(name);
  k.short_name.push_back(name);
  k.mangled.push_back({});
  k.grid.push_back({});
  k.block.push_back({});
  k.registers_per_thread.push_back(32);
  k.static_shared_bytes.push_back(0);
  k.dynamic_shared_bytes.push_back(0);
  k.graph_node.push_back(0);
}

trace::Trace bursty(std::size_t kernels) {
  trace::Trace trace;
  trace.captured.set(static_cast<std::size_t>(trace::Table::kernels));
  trace.processes.push_back({.global_pid = 1, .pid = 1, .name = "bench"});
  std::vector<trace::StringId> names;
  for (const char* name :
       {"ampere_sgemm_128x64_tn", "cudnn::bn_fw_tr_1C11_kernel_NCHW",
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "void at::native::reduce_kernel<512, 1>",
        "void cudnn::ops::nchwToNhwcKernel", "elementwise_kernel"})
    names.push_back(trace.strings.intern(name));
  std::mt19937 random{1};
  std::exponential_distribution<double> length{1 / 4000.0}, pause{1 / 500.0};
  std::vector<double> now(kGpus * kStreams, 0);
  for (std::size_t i = 0; i < kernels; ++i) {
    const std::size_t lane = i % now.size();
    if (i / now.size() % 400 == 399) now[lane] += 2e6;  // between steps
    now[lane] += pause(random);
    const double start = now[lane];
    now[lane] += length(random);
    add_kernel(trace, static_cast<std::int64_t>(start), static_cast<std::int64_t>(now[lane]),
               static_cast<int>(lane) / kStreams, static_cast<int>(lane) % kStreams,
               names[random() % names.size()]);
  }
  trace::sort_by_start(trace);
  return trace;
}

// Frames are built on one thread; its processor time is what they cost on a machine that others use too.
double thread_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct Worst {
  double ms = 0, wall_ms = 0, view_ns = 0;
  std::size_t vertices = 0;
};

Worst worst_frame(const gui::Session& session, bool print_all) {
  gui::Canvas canvas{gui::CanvasOptions{}};
  gui::Viewer viewer{session, canvas.look()};
  const auto frame = [&] { canvas.frame([&] { draw_viewer(viewer); }); };
  frame();
  frame();
  Worst worst;
  for (double width = viewer.view.trace_ns * 1.2; width > 200; width /= 2) {
    std::vector<double> ms, wall_ms;
    for (int i = 0; i < 7; ++i) {
      viewer.view.zoom(width / viewer.view.width_ns, 0.41);
      viewer.view.move(0.003);  // another picture each time
      const auto start = Clock::now();
      const double start_ms = thread_ms();
      frame();
      ms.push_back(thread_ms() - start_ms);
      wall_ms.push_back(ms_since(start));
    }
    std::sort(ms.begin(), ms.end());
    std::sort(wall_ms.begin(), wall_ms.end());
    const std::size_t median = ms.size() / 2;
    if (print_all)
      fmt::print("            {:10.3f} ms shown: {:6.2f} ms, {} vertices\n", width / 1e6, ms[median],
                 canvas.vertex_count());
    if (ms[median] > worst.ms) worst = {ms[median], wall_ms[median], width, canvas.vertex_count()};
  }
  return worst;
}

struct Phase {
  Clock::time_point start = Clock::now();
  std::clock_t cpu = std::clock();

  void print(const char* what) {
    fmt::print("{:>24}: {:8.2f} s, {:8.2f} s of processor time\n", what, ms_since(start) / 1e3,
               static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
    start = Clock::now();
    cpu = std::clock();
  }
};

void measure(std::size_t kernels, bool print_all) {
  trace::Trace trace = bursty(kernels);
  fmt::print("{} events\n", kernels);
  Phase phase;
  const auto session = gui::Session::without_analysis(std::move(trace));
  phase.print("lanes");
  session->take({.diagnosis = {}, .idle = gui::find_idle_causes(session->trace, session->timeline, session->launches)});
  phase.print("idle causes");
  const Worst worst = worst_frame(*session, print_all);
  const double bytes = static_cast<double>(session->size_bytes()) / static_cast<double>(kernels);
  fmt::print(
      "  worst frame {:.2f} ms of processor time ({:.2f} by the wall clock) at {:.3g} ms shown, {} vertices: {:.2f} of "
      "the limit of {} ms\n",
      worst.ms, worst.wall_ms, worst.view_ns / 1e6, worst.vertices, worst.ms / kFrameLimitMs, kFrameLimitMs);
  fmt::print("  {:.1f} bytes an event: {:.2f} of the limit of {}\n", bytes, bytes / kBytesLimit, kBytesLimit);
}

// The parts of opening a file, in the order in which the window shows them.
int measure_opening(const char* file) {
  const auto start = Clock::now();
  Phase phase;
  auto preview = trace::read_preview(file);
  if (preview) {
    const auto look = gui::Session::without_analysis(std::move(preview->trace));
    gui::Canvas canvas{gui::CanvasOptions{}};
    gui::Viewer viewer{*look, canvas.look()};
    canvas.frame([&] { draw_viewer(viewer); });
    phase.print("first look and picture");
  }
  auto trace = trace::read_trace(file);
  if (!trace) {
    fmt::print("{}\n", trace.error().line());
    return 1;
  }
  phase.print("reading");
  const auto session = gui::Session::without_analysis(std::move(*trace));
  phase.print("lanes");
  const double opened = ms_since(start) / 1e3;
  fmt::print("  opened after {:.2f} s: {:.2f} of the limit of {} s\n", opened, opened / kOpeningLimitSeconds, kOpeningLimitSeconds);
  std::fflush(stdout);  // the analysis takes long
  session->take(session->analyse());
  phase.print("analysis, idle causes");
  return 0;
}

}  // namespace

// Arguments: numbers of events, then "all" for every zoom (1 and 10 million without any); or a file, to measure its opening.
int main(int count, char** values) {
  std::vector<std::size_t> sizes;
  bool print_all = false;
  for (int i = 1; i < count; ++i) {
    const std::string argument = values[i];
    if (argument == "all")
      print_all = true;
    else if (const std::size_t size = std::strtoull(values[i], nullptr, 10); size > 0)
      sizes.push_back(size);
    else
      return measure_opening(values[i]);
  }
  if (sizes.empty()) sizes = {1'000'000, 10'000'000};
  for (const std::size_t size : sizes) measure(size, print_all);
}
