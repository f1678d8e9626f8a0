#include "tests/collector/recorded_child.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>

#include "trace/trace_reader.h"

namespace gputrace::tests {

namespace {

constexpr const char* kTraceFile = "trace.sqlite";

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::map<std::string, std::string> capture_settings(const std::filesystem::path& trace) {
  std::map<std::string, std::string> settings;
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open_v2(trace.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  const auto keep = [](void* into, int, char** values, char**) {
    std::string name = values[0] != nullptr ? values[0] : "";
    constexpr std::string_view kProcess = "PROCESS_";
    if (name.starts_with(kProcess)) name.erase(0, name.find('_', kProcess.size()) + 1);
    (*static_cast<std::map<std::string, std::string>*>(into))[name] = values[1] != nullptr ? values[1] : "";
    return 0;
  };
  CHECK(sqlite3_exec(database, "SELECT name, value FROM META_DATA_CAPTURE", keep, &settings, nullptr) == SQLITE_OK);
  sqlite3_close(database);
  return settings;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "gputrace-test-XXXXXX").string();
  REQUIRE(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

ProgramResult run_program(const std::vector<std::string>& command, const Environment& environment) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "out").string(), err = (folder.path() / "err").string();
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) variables.emplace_back(*entry);
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  // Where this is built with a sanitizer: signals must end the program as without, and a fork is no mistake.
  variables.emplace_back("ASAN_OPTIONS=handle_segv=0:handle_abort=0");
  variables.emplace_back("TSAN_OPTIONS=handle_segv=0:handle_abort=0:die_after_fork=0");
  std::vector<char*> argv, envp;
  std::vector<std::string> arguments = command;
  for (auto& text : arguments) argv.push_back(text.data());
  for (auto& text : variables) envp.push_back(text.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = 0;
  INFO(command.front());
  REQUIRE(posix_spawnp(&pid, command.front().c_str(), &actions, nullptr, argv.data(), envp.data()) == 0);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), contents(out), contents(err)};
}

std::string child_program() { return GPUTRACE_TEST_CHILD; }
std::string fake_cupti_library() { return GPUTRACE_FAKE_CUPTI; }
std::string collector_library() { return GPUTRACE_COLLECTOR_LIBRARY; }

Environment recording_environment(const std::filesystem::path& spools) {
  return {{"CUDA_INJECTION64_PATH", collector_library()}, {"NVTX_INJECTION64_PATH", collector_library()},
          {"GPUTRACE_SPOOL_DIR", spools.string()},        {"GPUTRACE_FLUSH_PERIOD_MS", "100"}};
}

Recording convert(const std::filesystem::path& spools, ProgramResult program) {
  auto folder = std::make_shared<const TemporaryFolder>();
  const auto output = folder->path() / kTraceFile;
  Recording recording{std::move(program), collector::convert_spools(spools, {output, false, {}}), {}, {}, folder};
  if (!recording.summary) return recording;
  auto trace = trace::read_trace(output);
  if (!trace) FAIL(trace.error().line());
  recording.trace = std::move(*trace);
  recording.settings = capture_settings(output);
  return recording;
}

Recording record_child(const std::vector<std::string>& mode, bool cuda, const Environment& more) {
  const TemporaryFolder spools;
  Environment environment = recording_environment(spools.path());
  if (cuda) environment.emplace_back("FAKE_CUPTI", fake_cupti_library());
  environment.insert(environment.end(), more.begin(), more.end());
  std::vector<std::string> command{child_program()};
  command.insert(command.end(), mode.begin(), mode.end());
  return convert(spools.path(), run_program(command, environment));
}

std::vector<std::string> Recording::query(const std::string& sql) const {
  std::vector<std::string> rows;
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open_v2((folder->path() / kTraceFile).c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  const auto keep = [](void* into, int columns, char** values, char**) {
    std::string row;
    for (int i = 0; i < columns; ++i) row += (i > 0 ? "|" : "") + std::string(values[i] != nullptr ? values[i] : "NULL");
    static_cast<std::vector<std::string>*>(into)->push_back(row);
    return 0;
  };
  INFO(sql);
  CHECK(sqlite3_exec(database, sql.c_str(), keep, &rows, nullptr) == SQLITE_OK);
  sqlite3_close(database);
  return rows;
}

bool has_range(const trace::Trace& trace, std::string_view text) {
  for (std::size_t i = 0; i < trace.nvtx.size(); ++i) {
    if (trace.text(trace.nvtx.text[i]) == text) return true;
  }
  return false;
}

}  // namespace gputrace::tests
