// The program `gputrace`: one subcommand per file of cli/commands.
// Exit status: 0 done, 1 an error (one line on stderr), 2 usage, 3 `check` found more than the budget allows.
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/command.h"

namespace {

constexpr int kUsage = 2;

// CLI11 asks for exit codes of its own; help and version are no errors, all else is usage.
int usage_status(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  std::string text = error.what();
  for (char& c : text) c = c == '\n' ? ' ' : c;
  gputrace::cli::report_error({text, "", "see gputrace --help"});
  return kUsage;
}

int run(int argc, char** argv) {
  CLI::App app{"Why does this training run not go faster on these GPUs, what should be changed, and what would it gain?",
               "gputrace"};
  app.set_version_flag("--version", "gputrace " GPUTRACE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  gputrace record -- ./trainer          record a program, then say what holds it back\n"
      "  gputrace report trace1.sqlite         the report again\n"
      "  gputrace stats trace1.sqlite --by kernel\n\n"
      "gputrace COMMAND --help shows each command's options and examples.");
  int exit_status = 0;
  for (const gputrace::cli::Command* command : gputrace::cli::all_commands()) {
    command->add(*app.add_subcommand(command->name, command->summary), exit_status);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return usage_status(app, error);
  }
  return exit_status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    return gputrace::cli::report_error({error.what(), "", "this is a bug in gputrace or the machine is out of memory"});
  }
}
