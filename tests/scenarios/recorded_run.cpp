#include "tests/scenarios/recorded_run.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <sys/wait.h>

namespace gputrace::tests {
namespace {

struct Scratch {
  std::filesystem::path path;
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gputrace-scenarios-XXXXXX").string();
    path = mkdtemp(pattern.data()) == nullptr ? std::filesystem::path{} : std::filesystem::path(pattern);
  }
  ~Scratch() {
    std::error_code ignored;  // a leftover folder in the temporary directory harms nobody
    std::filesystem::remove_all(path, ignored);
  }
};

// "--scenario A-base --steps 6" -> "A-base.sqlite"; "run.sqlite" without a scenario.
std::string trace_name(const std::string& arguments) {
  std::istringstream words(arguments);
  std::string word, name = "run";
  while (words >> word)
    if (word == "--scenario") words >> name;
  return name;
}

std::string recorded(const std::string& arguments) {
  static std::map<std::string, std::string> files;  // by arguments
  if (const auto known = files.find(arguments); known != files.end()) return known->second;
  std::string file = trace_name(arguments) + ".sqlite";
  for (int number = 2; std::filesystem::exists(scratch() / file); ++number) file = trace_name(arguments) + "-" + std::to_string(number) + ".sqlite";
  // On a machine with GPUs too: the figures are the modelled machine's.
  const ProgramResult run = run_in_scratch("CUDA_VISIBLE_DEVICES= " + program("gputrace") + " record --no-report -o " + file + " -- " + program("trainer") + " " +
                                           arguments + " --arithmetic off");
  INFO(run.output);
  REQUIRE(run.exit_status == 0);
  return files[arguments] = file;
}

}  // namespace

std::filesystem::path scratch() {
  static const Scratch folder;
  return folder.path;
}

std::string program(std::string_view name) { return "'" GPUTRACE_BINARY_DIR "/bin/" + std::string(name) + "'"; }

ProgramResult run_in_scratch(const std::string& command) {
  ProgramResult result;
  FILE* pipe = popen(("cd '" + scratch().string() + "' && { " + command + "; } 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) result.output.append(buffer, n);
  const int status = pclose(pipe);
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

const nlohmann::json& report_of(const std::string& arguments) {
  static std::map<std::string, nlohmann::json> reports;
  if (const auto known = reports.find(arguments); known != reports.end()) return known->second;
  const ProgramResult run = run_in_scratch(program("gputrace") + " report " + recorded(arguments) + " --format json");
  INFO(run.output);
  REQUIRE(run.exit_status == 0);
  return reports[arguments] = nlohmann::json::parse(run.output);
}

std::string text_report_of(const std::string& arguments) {
  const ProgramResult run = run_in_scratch(program("gputrace") + " report " + recorded(arguments) + " --width 100");
  REQUIRE(run.exit_status == 0);
  return run.output;
}

const nlohmann::json& finding(const nlohmann::json& report, std::string_view rule) {
  for (const auto& finding : report.at("findings")) {
    if (finding.at("rule") == rule) return finding;
  }
  FAIL("the report has no rule " << rule);
  return report;
}

}  // namespace gputrace::tests
