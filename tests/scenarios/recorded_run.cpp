#include "tests/scenarios/recorded_run.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <sys/wait.h>

namespace gputrace::tests {
namespace {

constexpr std::uint64_t kFnvStart = 0xcbf29ce484222325, kFnvPrime = 0x100000001b3;  // FNV-1a, 64 bits

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

std::string text_report_of(const std::string& arguments) { return report_of_in(arguments, "text"); }

std::string report_of_in(const std::string& arguments, const std::string& format) {
  const ProgramResult run =
      run_in_scratch(program("gputrace") + " report " + recorded(arguments) + " --width 100 --format " + format);
  REQUIRE(run.exit_status == 0);
  return run.output;
}

namespace {

// Instants since the trace began, and threads without their numbers: what another run has otherwise.
void leave_out_run(nlohmann::json& value, std::int64_t start_ns) {
  if (value.is_array()) {
    for (auto& item : value) leave_out_run(item, start_ns);
  } else if (value.is_object()) {
    for (auto& [key, item] : value.items()) {
      const bool instant = item.is_number_integer() && (key.ends_with("start_ns") || key.ends_with("end_ns"));
      if (instant) item = item.get<std::int64_t>() - start_ns;
      else if (key == "who" && item.get<std::string>().starts_with("thread ")) item = "thread";
      else leave_out_run(item, start_ns);
    }
  }
}

std::string without_run(const std::string& report) {
  nlohmann::json json = nlohmann::json::parse(report);
  leave_out_run(json, json.at("trace").at("start_ns").get<std::int64_t>());
  return json.dump(1) + "\n";
}

}  // namespace

std::string abridged(const std::string& report, const std::string& format) {
  if (format == "json") return without_run(report);
  if (format != "html") return report;
  std::istringstream lines(report);
  std::string out, waiting_for;
  std::size_t shapes = 0;
  std::uint64_t checksum = kFnvStart;
  const auto end_shapes = [&] {
    if (shapes > 0) out += "(" + std::to_string(shapes) + " shapes, checksum " + std::to_string(checksum) + ")\n";
    shapes = 0, checksum = kFnvStart;
  };
  for (std::string line; std::getline(lines, line);) {
    if (!waiting_for.empty() && line.find(waiting_for) == std::string::npos) continue;
    waiting_for.clear();
    if (line == "<style>") waiting_for = "</style>";
    if (line == "<script>") waiting_for = "</script>";
    if (line.starts_with("<rect class=\"k") || line.starts_with("<path ") || line.starts_with("<rect class=\"evidence")) {
      ++shapes;
      for (const char c : line) checksum = (checksum ^ static_cast<unsigned char>(c)) * kFnvPrime;
      continue;
    }
    end_shapes();
    out += line + "\n";
  }
  return out;
}

const nlohmann::json& finding(const nlohmann::json& report, std::string_view rule) {
  for (const auto& finding : report.at("findings")) {
    if (finding.at("rule") == rule) return finding;
  }
  FAIL("the report has no rule " << rule);
  return report;
}

}  // namespace gputrace::tests
