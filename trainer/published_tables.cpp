#include "trainer/published_tables.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <sstream>

#include "trainer/options.h"
#include "trainer/scenario.h"
#include "trainer/training_run.h"

namespace trainer {

namespace {

constexpr int kSteps = 6;

// The figures of the newer framework version with one GPU are those of the older one, so its kernels are taken to be the
// same; with four GPUs, where handing out ops is the limit, it is faster: it hands them out faster.
constexpr PublishedFigure kTableA[] = {
    {"A-mxnet", 4, 7000, "the peer's own engine and kernels are not published; the model gives it those of A-base's framework"},
    {"A-mxnet", 1, 1200, "four GPUs are published as 5.8 times as fast as one: no machine of four equal GPUs does that", false},
    {"A-base", 4, 4200, ""},
    {"A-base", 1, 2100, ""},
    {"A-base-real", 4, 3700, ""},
    {"A-nhwc", 4, 6700, ""},
    {"A-nhwc", 1, 2000, ""},
    {"A-nhwc-real", 4, 4900, ""},
    {"A-nhwc-real", 1, 1700, ""},
    {"A-nchw-naive-bn", 4, 1200, ""},
    {"A-nchw-transposed-bn", 4, 6200, ""},
};

constexpr PublishedFigure kTableB[] = {
    {"B-1gpu", 1, 0.868, ""},
    {"B-tower-cpu", 2, 4.885, ""},
};

std::string row_text(const PublishedFigure& figure, const std::string& modelled, const std::string& error) {
  return fmt::format("{:<22}{:>5}{:>12}{:>12}{:>10}  {}\n", figure.scenario, figure.gpus, figure.published, modelled, error,
                     figure.not_met);
}

}  // namespace

std::span<const PublishedFigure> published_figures(char table) {
  if (table == 'A') return kTableA;
  return kTableB;
}

tl::expected<double, std::string> modelled_figure(char table, const PublishedFigure& figure, const MakeBackend& make_backend) {
  const Scenario* scenario = find_scenario(figure.scenario);
  if (!scenario) return tl::unexpected(fmt::format("no scenario {}", figure.scenario));
  Options options;
  options.configuration = scenario->configuration;
  options.configuration.gpus = figure.gpus;
  options.configuration.steps = kSteps;
  options.arithmetic = ArithmeticMode::off;
  const auto backend = make_backend(std::string(scenario->box), options.configuration);
  if (!backend) return tl::unexpected(backend.error());
  std::ostringstream unread;
  const auto summary = run_training(**backend, options, unread);
  if (!summary) return tl::unexpected(summary.error());
  return table == 'A' ? summary->samples_per_second : static_cast<double>(summary->median_step_ns) / 1e9;
}

tl::expected<void, std::string> print_table(char table, const MakeBackend& make_backend, std::ostream& out) {
  fmt::print(out, "Table {}, {}; simulated: times are modelled\n", table, table == 'A' ? "samples/s" : "seconds per step");
  fmt::print(out, "{:<22}{:>5}{:>12}{:>12}{:>10}\n", "scenario", "GPUs", "published", "modelled", "error");
  for (const PublishedFigure& figure : published_figures(table)) {
    if (!figure.modelled) {
      out << row_text(figure, "-", "-");
      continue;
    }
    const auto modelled = modelled_figure(table, figure, make_backend);
    if (!modelled) return tl::unexpected(modelled.error());
    out << row_text(figure, fmt::format("{:.{}f}", *modelled, table == 'A' ? 0 : 3),
                    fmt::format("{:+.1f} %", (*modelled / figure.published - 1) * 100));
  }
  return {};
}

}  // namespace trainer
