// gputrace doctor: what this machine can record, what not, why, and the remedy.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/doctor/checks.h"
#include "cli/doctor/this_machine.h"
#include "cli/output_file.h"

namespace gputrace::cli {
namespace {

struct Options {
  std::string folder = ".";
  bool json = false, emit_probe_range = false;
};

const char* word(CheckStatus status) {
  switch (status) {
    case CheckStatus::ok: return "ok";
    case CheckStatus::limited: return "limited";
    case CheckStatus::missing: break;
  }
  return "missing";
}

std::string as_text(const std::vector<Check>& checks, const Machine& machine) {
  std::string text;
  for (const Check& check : checks) {
    text += fmt::format("{:<8} {:<16} {}\n", word(check.status), check.name, check.found);
    if (!check.effect.empty()) text += fmt::format("{:25} a recording lacks: {}\n", "", check.effect);
    if (!check.remedy.empty()) text += fmt::format("{:25} remedy: {}\n", "", check.remedy);
  }
  return text + "\n" + will_hold(machine) + "\n";
}

std::string as_json(const std::vector<Check>& checks, const Machine& machine) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Check& check : checks) {
    list.push_back({{"check", check.name}, {"status", word(check.status)}, {"found", check.found}, {"effect", check.effect},
                    {"remedy", check.remedy}});
  }
  const nlohmann::ordered_json all{{"format", "gputrace.doctor"}, {"version", 1}, {"checks", std::move(list)},
                                   {"will_hold", will_hold(machine)}};
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void add(CLI::App& app, int& exit_status) {
  const auto options = std::make_shared<Options>();  // shared by the parser and the callback, which outlive this call
  app.add_option("FOLDER", options->folder, "where recordings are to be written")->capture_default_str();
  app.add_flag("--json", options->json, "for programs");
  app.add_flag("--emit-probe-range", options->emit_probe_range)->group("");  // what the NVTX check runs as a child
  app.footer("Exit status 0, whatever was found: a machine without a GPU is no error.\n\nExamples:\n  gputrace doctor\n"
             "  gputrace doctor --json /scratch");
  app.callback([options, &exit_status] {
    if (options->emit_probe_range) return emit_probe_range();
    const Machine machine = look_at_this_machine(options->folder);
    const std::vector<Check> checks = all_checks(machine);
    const auto written = write_stdout(options->json ? as_json(checks, machine) : as_text(checks, machine));
    if (!written) exit_status = report_error(written.error());
  });
}

}  // namespace

extern constinit const Command doctor{"doctor", "What this machine can record, and why not", add};

}  // namespace gputrace::cli
