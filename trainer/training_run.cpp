#include "trainer/training_run.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <ostream>

#include "trainer/data_parallel.h"
#include "trainer/faulty_backend.h"

namespace trainer {

namespace {

const char* text_of(ModelKind model) { return model == ModelKind::resnet ? "resnet" : "mlp"; }
const char* text_of(UpdateStyle update) {
  switch (update) {
    case UpdateStyle::host: return "host";
    case UpdateStyle::host_overlapped: return "host-overlapped";
    case UpdateStyle::gpu0: return "gpu0";
    case UpdateStyle::all_reduce: break;
  }
  return "all-reduce";
}
const char* text_of(OpPlacement placement) { return placement == OpPlacement::gpu ? "gpu" : "cpu"; }
const char* text_of(PaddingStyle padding) { return padding == PaddingStyle::fused ? "fused" : "explicit"; }
const char* text_of(Layout layout) { return layout == Layout::nhwc ? "nhwc" : "nchw"; }
const char* text_of(BatchNormStyle style) {
  switch (style) {
    case BatchNormStyle::unfused: return "unfused";
    case BatchNormStyle::fused: return "fused";
    case BatchNormStyle::naive: return "naive";
    case BatchNormStyle::transposed: break;
  }
  return "transposed";
}

std::string text_of(const ResnetStyle& style) {
  return fmt::format(", padding {}, layout {}, batch norm {}", text_of(style.padding), text_of(style.layout),
                     text_of(style.batch_norm));
}

double flops_per_step(Backend& backend, const Configuration& configuration) {
  return DataParallel(backend, configuration).flops_per_step();
}

std::string arithmetic_line(const Options& options, bool on_gpus, bool arithmetic, double flops) {
  const std::string work = fmt::format("{:.1f} GFLOP a step", flops / 1e9);
  if (on_gpus) return fmt::format("on ({}, computed where it is timed)", work);
  if (options.arithmetic != ArithmeticMode::automatic)
    return fmt::format("{} ({})", arithmetic ? "on" : "off", work);
  if (arithmetic) return fmt::format("on ({}; --arithmetic off skips it)", work);
  return fmt::format("off ({}, more than {:.0f}; --arithmetic on computes it all the same)", work,
                     kAutomaticArithmeticFlops / 1e9);
}

void print_header(std::ostream& out, const Backend& backend, const Options& options, const Configuration& run,
                  double flops) {
  fmt::print(out, "backend     {}\n", backend.description());
  if (backend.description().find("modelled") != std::string::npos)
    fmt::print(out, "simulated: times are modelled\n");
  fmt::print(out, "scenario    {}\n", run.scenario.empty() ? "none" : run.scenario);
  fmt::print(
      out, "run         {}, {} GPU{}, batch {} per GPU, placement {}, update {}{}, host memory {}, seed {}\n",
      text_of(run.model), run.gpus, run.gpus == 1 ? "" : "s", run.batch_per_gpu, text_of(run.placement),
      text_of(run.update),
      run.model == ModelKind::resnet ? text_of(run.style) : "",
      run.pinned_host_memory ? "pinned" : "pageable", run.seed);
  if (run.gpus > backend.device_count() && !run.faults.one_stream) {
    fmt::print(out, "            {} towers share {} GPU{}\n", run.gpus, backend.device_count(), backend.device_count() == 1 ? "" : "s");
  }
  if (run.streams > 1) fmt::print(out, "streams     {} per tower\n", run.streams);
  if (!run.faults.given.empty()) fmt::print(out, "faults      {}\n", fmt::join(run.faults.given, ", "));
  if (run.real_data) {
    fmt::print(out, "data        {}, {} readers, {} batches ahead\n",
               run.data_folder.empty() ? "as of files, not read" : run.data_folder, run.readers, run.prefetch);
  }
  fmt::print(out, "arithmetic  {}\n", arithmetic_line(options, backend.computes_itself(), run.arithmetic, flops));
}

std::string loss_text(const Configuration& run, float loss) {
  return run.arithmetic ? fmt::format("{:.6f}", loss) : "not computed";
}

void print_summary(std::ostream& out, const Configuration& run, const RunSummary& summary) {
  fmt::print(out, "step time   {:.3f} ms (median after warm-up)\n",
             static_cast<double>(summary.median_step_ns) / 1e6);
  fmt::print(out, "throughput  {:.1f} samples/s\n", summary.samples_per_second);
  if (run.arithmetic) {
    fmt::print(out, "loss        first {:.6f}, last {:.6f}\n", summary.losses.front(), summary.losses.back());
  } else {
    fmt::print(out, "loss        not computed\n");
  }
}

tl::expected<std::ofstream, std::string> open_csv(const std::string& path) {
  std::ofstream csv;
  if (path.empty()) return csv;
  csv.open(path);
  if (!csv) return tl::unexpected(fmt::format("{}: cannot be written; choose another file for --csv", path));
  csv << "step,loss,step_seconds\n";
  return csv;
}

void run_steps(DataParallel& training, const Configuration& run, RunSummary& summary, std::ostream& out, std::ofstream& csv) {
  for (int step = 0; step < run.steps; ++step) {
    const StepResult result = training.run_step(step);
    summary.step_ns.push_back(result.duration_ns);
    if (run.arithmetic) summary.losses.push_back(result.loss);
    const double seconds = static_cast<double>(result.duration_ns) / 1e9;
    fmt::print(out, "step {:<6} loss {}  {:.3f} ms\n", step, loss_text(run, result.loss), seconds * 1e3);
    out.flush();
    if (csv.is_open())
      fmt::print(csv, "{},{},{:.9f}\n", step, run.arithmetic ? loss_text(run, result.loss) : "", seconds);
  }
  training.finish();
}

}  // namespace

tl::expected<RunSummary, std::string> run_training(Backend& bare_backend, const Options& options,
                                                   std::ostream& out) {
  FaultyBackend backend(bare_backend, options.configuration.faults);
  auto csv = open_csv(options.csv_path);
  if (!csv) return tl::unexpected(csv.error());

  Configuration run = options.configuration;
  RunSummary summary;
  summary.flops_per_step = flops_per_step(backend, run);
  run.arithmetic = options.arithmetic == ArithmeticMode::automatic
                       ? summary.flops_per_step < kAutomaticArithmeticFlops
                       : options.arithmetic == ArithmeticMode::on;
  run.arithmetic |= backend.computes_itself();
  print_header(out, backend, options, run, summary.flops_per_step);

  DataParallel training(backend, run);
  if (const auto ready = training.initialize(); !ready) return tl::unexpected(ready.error());
  fmt::print(out, "memory      {:.2f} GiB of temporaries per tower\n",
             static_cast<double>(training.temporary_bytes_per_tower()) / (1 << 30));
  training.run_beside_readers([&] { run_steps(training, run, summary, out, *csv); });
  if (csv->is_open() && !csv->flush())
    return tl::unexpected(fmt::format("{}: could not be written in full", options.csv_path));
  summary.median_step_ns = median_after_warm_up_ns(summary.step_ns);
  summary.samples_per_second =
      static_cast<double>(run.batch_per_gpu * run.gpus) * 1e9 / static_cast<double>(summary.median_step_ns);
  print_summary(out, run, summary);
  return summary;
}

std::int64_t median_after_warm_up_ns(std::vector<std::int64_t> step_ns) {
  if (step_ns.empty()) return 0;
  step_ns.erase(step_ns.begin(),
                step_ns.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, step_ns.size() - 1)));
  std::sort(step_ns.begin(), step_ns.end());
  const std::size_t middle = step_ns.size() / 2;
  return step_ns.size() % 2 == 1 ? step_ns[middle] : (step_ns[middle - 1] + step_ns[middle]) / 2;
}

}  // namespace trainer
