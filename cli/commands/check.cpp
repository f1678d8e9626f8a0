// gputrace check: fails a build whose training run got slower.
#include <algorithm>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "analyzer/analyze.h"
#include "cli/budget.h"
#include "cli/command.h"
#include "cli/open_trace.h"
#include "cli/output_file.h"
#include "cli/threshold_file.h"
#include "reports/format.h"
#include "reports/plain_text.h"

namespace gputrace::cli {
namespace {

constexpr int kOverBudget = 3;

struct Options {
  std::string file, budget, names, thresholds;
};

const char* word(Judgement judgement) {
  if (judgement == Judgement::within) return "within        ";
  return judgement == Judgement::exceeded ? "exceeded      " : "cannot judge  ";
}

bool any(const std::vector<JudgedLimit>& judged, Judgement judgement) {
  return std::any_of(judged.begin(), judged.end(), [=](const auto& limit) { return limit.judgement == judgement; });
}

// The exit status: an exceeded limit is certain, so it counts before one that cannot be judged.
Result<int> check_budget(const Options& options) {
  const auto thresholds = read_thresholds(options.thresholds);
  if (!thresholds) return tl::unexpected(thresholds.error());
  const auto trace = open_trace(options.file);
  if (!trace) return tl::unexpected(trace.error());
  const auto name_rules = analyzer::users_name_rules(options.names);
  if (!name_rules) return tl::unexpected(name_rules.error());
  const std::string report = reports::find_format("json")->render(analyzer::analyze(*trace, *name_rules, *thresholds), {});
  const auto judged = judge_report(report, options.budget);
  if (!judged) return tl::unexpected(judged.error());
  std::string text;
  for (const auto& limit : *judged) text += word(limit.judgement) + reports::one_line(limit.limit + ": " + limit.detail) + "\n";
  if (const auto written = write_stdout(text); !written) return tl::unexpected(written.error());
  if (any(*judged, Judgement::exceeded)) return kOverBudget;
  if (!any(*judged, Judgement::cannot_judge)) return 0;
  return fail("a limit cannot be judged (listed above)", options.budget, "record what it needs, or remove the limit");
}

void add(CLI::App& app, int& exit_status) {
  const auto options = std::make_shared<Options>();  // shared by the parser and the callback, which outlive this call
  app.add_option("FILE", options->file, "a trace of gputrace, or an Nsight Systems SQLite export")->required();
  app.add_option("--budget", options->budget, "a TOML file with a list of limits")->required();
  app.add_option("--names", options->names, "your own names for kernels, as in gputrace explain --help");
  app.add_option("--thresholds", options->thresholds, "other limits for findings, as in gputrace report --help");
  app.footer(
      "A budget:\n"
      "  limits = [\n"
      "    \"devices.*.compute_utilization >= 0.6\",\n"
      "    \"findings.critical == 0\",\n"
      "    \"steps.median_ns <= 1.05 * baseline.json\",   # a report of gputrace report --format json\n"
      "  ]\n\n"
      "Exit status: 0 within, 3 exceeded, 1 cannot judge.\n\n"
      "Examples:\n"
      "  gputrace check trace1.sqlite --budget budget.toml");
  app.callback([options, &exit_status] {
    const auto status = check_budget(*options);
    exit_status = status ? *status : report_error(status.error());
  });
}

}  // namespace

extern const Command check{"check", "Compare a trace's figures with a budget, for CI", add};

}  // namespace gputrace::cli
