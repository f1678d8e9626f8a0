#include "cli/open_trace.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>

#include "cli/terminal.h"
#include "reports/plain_text.h"
#include "trace/merge_traces.h"
#include "trace/trace_reader.h"

namespace gputrace::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    sigaction(SIGINT, &action, &before_);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard() { sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

// One line on stderr, rewritten in place and removed at the end; nothing for files that open at once.
class ProgressLine {
 public:
  explicit ProgressLine(const std::string& what) : what_(what), shown_(is_terminal(STDERR_FILENO)) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() {
    if (drawn_) std::fputs("\r\x1b[K", stderr);
  }

  void show(double share) {
    const auto now = std::chrono::steady_clock::now();
    if (!shown_ || now - last_ < kBetween) return;
    last_ = now;
    drawn_ = true;
    const std::string text = what_ + " " + std::to_string(static_cast<int>(share * 100)) + " %";
    std::fprintf(stderr, "\r%s\x1b[K", reports::cut_to_width(text, terminal_width(STDERR_FILENO) - 1).c_str());
    std::fflush(stderr);
  }

 private:
  static constexpr std::chrono::milliseconds kBetween{200};
  std::string what_;
  bool shown_, drawn_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

Result<trace::Trace> open_file(const std::filesystem::path& path) {
  const InterruptGuard guard;
  ProgressLine line("reading " + reports::one_line(path.filename().string()));
  return trace::read_trace(path, {.progress = [&line](double share) {
    line.show(share);
    return interrupted == 0;
  }});
}

// The files that the paths mean: a folder stands for its traces.
Result<std::vector<std::filesystem::path>> files_of(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    auto found = trace::traces_in_folder(path);
    if (!found) return found;
    files.insert(files.end(), found->begin(), found->end());
  }
  return files;
}

}  // namespace

Result<trace::Trace> open_trace(const std::filesystem::path& path) { return open_traces({path}); }

Result<trace::Trace> open_traces(const std::vector<std::filesystem::path>& paths) {
  const auto files = files_of(paths);
  if (!files) return tl::unexpected(files.error());
  std::vector<trace::Trace> traces;
  for (const std::filesystem::path& file : *files) {
    auto trace = open_file(file);
    if (!trace) return trace;
    traces.push_back(std::move(*trace));
  }
  return trace::merge_traces(std::move(traces));
}

}  // namespace gputrace::cli
