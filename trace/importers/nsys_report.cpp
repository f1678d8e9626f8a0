// Nsight Systems' own report (.nsys-rep, formerly .qdrep): a format that only nsys reads. Where nsys is on the PATH it is asked
// to export SQLite; else the error is the command to do so. The one format that is told by its name: its content has no mark
// that NVIDIA documents.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "trace/importer.h"

extern char** environ;

namespace gputrace::trace {
namespace {

namespace fs = std::filesystem;

bool is_nsys_report(const SniffedFile& file) {
  const std::string extension = file.path.extension().string();
  return file.sqlite_tables.empty() && (extension == ".nsys-rep" || extension == ".qdrep");
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "gputrace-nsys-XXXXXX").string();
    if (!error && mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  const fs::path& path() const { return path_; }  // empty: none could be made

 private:
  fs::path path_;
};

std::string export_command(const fs::path& report, const fs::path& output) {
  return fmt::format("nsys export --type sqlite --output {} {}", output.string(), report.string());
}

// The exit status of nsys; none where it could not be started, errno then says why.
std::optional<int> run_nsys_export(const fs::path& report, const fs::path& output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
  std::string words[] = {"nsys", "export", "--type", "sqlite", "--force-overwrite", "true", "--output", output.string(), fs::absolute(report).string()};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, "nsys", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return errno = error, std::nullopt;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return std::nullopt;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Result<Trace> read_nsys_report(const SniffedFile& file, const ReadOptions& options) {
  const fs::path suggested = fs::path(file.path).replace_extension(".sqlite");
  const std::string command = export_command(file.path, suggested);
  const TemporaryFolder folder;
  if (folder.path().empty()) return fail("a Nsight Systems report, and no temporary folder to export it to", file.path.string(), "export it: " + command);
  const fs::path exported = folder.path() / "export.sqlite";
  const std::optional<int> status = run_nsys_export(file.path, exported);
  if (!status) return fail("a Nsight Systems report in its own format, which nsys alone reads and which is not on the PATH", file.path.string(), "export it: " + command);
  if (*status != 0) return fail(fmt::format("a Nsight Systems report that nsys could not export (exit status {})", *status), file.path.string(), "see why: " + command);
  Result<Trace> trace = read_trace(exported, options);
  if (!trace) return fail("a Nsight Systems report whose export cannot be read: " + trace.error().what, file.path.string(), "see why: " + command);
  trace->metadata.file = file.path.string();
  return trace;
}

}  // namespace

extern const Importer nsys_report;
constinit const Importer nsys_report{"Nsight Systems report, by way of nsys", is_nsys_report, read_nsys_report, Importer::Preference::general};

}  // namespace gputrace::trace
