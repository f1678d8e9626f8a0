#include "cli/launch.h"

#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace gputrace::cli {

namespace {

constexpr int kForwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

std::atomic<pid_t> g_program{0};
std::atomic<void (*)() noexcept> g_on_own_signal{nullptr};
std::atomic<int> g_early_signal{0};  // came before the program's process existed
static_assert(std::atomic<pid_t>::is_always_lock_free);

void forward(int signal, siginfo_t* info, void*) {
  if (info->si_code > 0) return;  // from the terminal, which has sent it to the program too
  const int saved = errno;
  const pid_t program = g_program.load();
  if (program > 0) kill(program, signal);
  else g_early_signal = signal;
  errno = saved;
}

void take_own(int) {
  const int saved = errno;
  if (auto* act = g_on_own_signal.load()) act();
  errno = saved;
}

// While it lives, signals go to the program. What is ignored (nohup) stays ignored, here and there.
class SignalForwarding {
 public:
  explicit SignalForwarding(const Launch& launch) {
    struct sigaction own{};
    own.sa_handler = take_own;
    own.sa_flags = SA_RESTART;
    g_on_own_signal = launch.on_own_signal;
    struct sigaction action{};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (std::size_t i = 0; i < std::size(kForwarded); ++i) {
      sigaction(kForwarded[i], nullptr, &before_[i]);
      if (kForwarded[i] == launch.own_signal) sigaction(kForwarded[i], &own, nullptr);
      else if (before_[i].sa_handler != SIG_IGN) sigaction(kForwarded[i], &action, nullptr);
    }
  }
  SignalForwarding(const SignalForwarding&) = delete;
  SignalForwarding& operator=(const SignalForwarding&) = delete;
  ~SignalForwarding() {
    g_program = 0;
    g_on_own_signal = nullptr;
    for (std::size_t i = 0; i < std::size(kForwarded); ++i) sigaction(kForwarded[i], &before_[i], nullptr);
  }

 private:
  struct sigaction before_[std::size(kForwarded)] = {};
};

bool is_program(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::vector<std::string> merged_environment(const Launch& launch) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : launch.environment) replaced = replaced || text.starts_with(name + "=");
    if (!replaced) merged.push_back(text);
  }
  for (const auto& [name, value] : launch.environment) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Result<std::string> find_program(const std::string& name) {
  if (name.find('/') != name.npos) {
    if (is_program(name)) return name;
    return fail(access(name.c_str(), F_OK) == 0 ? "cannot be executed" : "no such program", name);
  }
  const char* path = std::getenv("PATH");
  std::string rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  for (rest += ':'; !rest.empty(); rest.erase(0, rest.find(':') + 1)) {
    const std::string folder = rest.substr(0, rest.find(':'));
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (is_program(candidate)) return candidate;
  }
  return fail("no such program", name, "give its path, as in ./" + name);
}

Result<int> run_to_end(const Launch& launch) {
  std::vector<std::string> arguments = launch.arguments, environment = merged_environment(launch);
  const std::vector<char*> argv = pointers(arguments), envp = pointers(environment);
  const SignalForwarding forwarding(launch);
  pid_t program = 0;
  if (const int error = posix_spawn(&program, launch.path.c_str(), nullptr, nullptr, argv.data(), envp.data());
      error != 0) {
    return fail("cannot be started: " + std::generic_category().message(error), launch.path);
  }
  g_program = program;
  if (const int early = g_early_signal.exchange(0)) kill(program, early);
  int status = 0;
  while (waitpid(program, &status, 0) < 0) {
    if (errno != EINTR)
      return fail("cannot wait for the program: " + std::generic_category().message(errno), launch.path);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace gputrace::cli
