// A run of the bundled trainer, recorded and reported with the built programs, as a user would.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace gputrace::tests {

struct ProgramResult {
  int exit_status = -1;
  std::string output;  // standard output and error together
};

// Runs a shell command in a folder of its own that is removed at the end of the test program.
ProgramResult run_in_scratch(const std::string& command);
std::filesystem::path scratch();
std::string program(std::string_view name);  // full path in build/bin, quoted for the shell

// Records `trainer ARGUMENTS --arithmetic off` once per test program and distinct arguments; gives the JSON report.
const nlohmann::json& report_of(const std::string& trainer_arguments);
// The same run's report as text, 100 columns wide.
std::string text_report_of(const std::string& trainer_arguments);

// In any format, text 100 columns wide.
std::string report_of_in(const std::string& trainer_arguments, const std::string& format);

// A report of a page's size for tests/golden: the style and the script, which are the same in every page, and the drawings'
// shapes, which are thousands, are left out; what is left out of a drawing is one line with their number and a checksum. Of JSON the keys
// are in alphabetic order, instants count from the trace's beginning, and threads have no numbers.
std::string abridged(const std::string& report, const std::string& format);

// The finding of a rule; fails the test where there is none.
const nlohmann::json& finding(const nlohmann::json& report, std::string_view rule);

}  // namespace gputrace::tests
