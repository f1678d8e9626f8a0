#include "tests/cli/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace gputrace::tests {
namespace {

struct Streams {
  int read_out = -1, read_err = -1;    // ours
  int write_out = -1, write_err = -1;  // the child's
};

Streams open_streams(int terminal_columns) {
  Streams streams;
  if (terminal_columns > 0) {
    winsize size{.ws_row = 24, .ws_col = static_cast<unsigned short>(terminal_columns), .ws_xpixel = 0, .ws_ypixel = 0};
    if (openpty(&streams.read_out, &streams.write_out, nullptr, nullptr, &size) != 0) std::abort();
    streams.write_err = dup(streams.write_out);
    return streams;
  }
  std::array<int, 2> out{}, err{};
  if (pipe(out.data()) != 0 || pipe(err.data()) != 0) std::abort();
  return {.read_out = out[0], .read_err = err[0], .write_out = out[1], .write_err = err[1]};
}

[[noreturn]] void become(const std::vector<std::string>& arguments, const ChildOptions& options, const Streams& streams) {
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(streams.write_out, STDOUT_FILENO);
  dup2(streams.write_err, STDERR_FILENO);
  for (const int fd : {streams.read_out, streams.read_err, streams.write_out, streams.write_err}) {
    if (fd > STDERR_FILENO) close(fd);
  }
  for (const auto& variable : options.environment) {
    const auto equals = variable.find('=');
    setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
  }
  std::vector<char*> argv;
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

// Reads both streams to their ends, in whatever order the child writes them.
void drain(const Streams& streams, ChildResult& result) {
  std::array<pollfd, 2> waits{pollfd{streams.read_out, POLLIN, 0}, pollfd{streams.read_err, POLLIN, 0}};
  std::array<std::string*, 2> texts{&result.out, &result.err};
  std::array<char, 4096> buffer{};
  while ((waits[0].fd >= 0 || waits[1].fd >= 0) && poll(waits.data(), waits.size(), -1) > 0) {
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents == 0) continue;
      const ssize_t n = read(waits[i].fd, buffer.data(), buffer.size());
      if (n > 0) texts[i]->append(buffer.data(), static_cast<std::size_t>(n));
      if (n <= 0) waits[i].fd = -1;  // a terminal's end reads as EIO
    }
  }
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& arguments, const ChildOptions& options) {
  const Streams streams = open_streams(options.terminal_columns);
  const pid_t child = fork();
  if (child == 0) become(arguments, options, streams);
  close(streams.write_out);
  close(streams.write_err);
  ChildResult result;
  drain(streams, result);
  close(streams.read_out);
  if (streams.read_err >= 0) close(streams.read_err);
  int status = 0;
  waitpid(child, &status, 0);
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string gputrace_program() { return GPUTRACE_BINARY_DIR "/bin/gputrace"; }

}  // namespace gputrace::tests
