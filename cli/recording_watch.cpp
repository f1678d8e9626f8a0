#include "cli/recording_watch.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "collector/spool_layout.h"

namespace gputrace::cli {

namespace {

using Seconds = std::chrono::duration<double>;
constexpr auto kDrawPeriod = std::chrono::milliseconds(500);
constexpr int kPollMs = 50;

}  // namespace

std::string live_line(double elapsed_s, std::uint64_t events, double seconds, const collector::SpoolStatus& status) {
  const double rate = seconds > 0 ? static_cast<double>(events) / seconds : 0;
  return fmt::format("gputrace: {:.0f} s, {:.0f} records/s, {} dropped, {:.1f} MB", elapsed_s, rate, status.dropped,
                     static_cast<double>(status.size_bytes) / 1e6);
}

RecordingWatch::RecordingWatch(std::filesystem::path folder, bool live)
    : folder_(std::move(folder)), live_(live), start_(std::chrono::steady_clock::now()), last_(start_) {
  open_socket();
  // The signals that go on to the program are the main thread's.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

RecordingWatch::~RecordingWatch() {
  stop();
  if (socket_ >= 0) close(socket_);
}

// In the abstract namespace, which processes reach that can not reach the folder: another user's, or in a chroot. The
// kernel chooses the name.
void RecordingWatch::open_socket() {
  socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socklen_t bytes = sizeof(sa_family_t);
  if (socket_ < 0 || bind(socket_, reinterpret_cast<const sockaddr*>(&address), bytes) != 0) return;
  bytes = sizeof address;
  if (getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) return;
  constexpr std::size_t kBefore = offsetof(sockaddr_un, sun_path) + 1;  // the name follows a 0
  if (bytes > kBefore) socket_name_.assign(address.sun_path + 1, bytes - kBefore);
}

void RecordingWatch::run(const std::stop_token& stop) {
  auto next_draw = start_ + kDrawPeriod;
  while (!stop.stop_requested()) {
    pollfd waiting{socket_, POLLIN, 0};
    poll(&waiting, 1, kPollMs);
    read_notices();
    if (!live_ || std::chrono::steady_clock::now() < next_draw) continue;
    draw();
    next_draw = std::chrono::steady_clock::now() + kDrawPeriod;
  }
  read_notices();
}

void RecordingWatch::read_notices() {
  for (spool::Notice notice; recv(socket_, &notice, sizeof notice, MSG_DONTWAIT) == sizeof notice;) {
    ++processes_by_error_[notice.error];
  }
}

// The cursor stays at the beginning, so that what the program prints begins there too.
void RecordingWatch::draw() {
  const auto now = std::chrono::steady_clock::now();
  const collector::SpoolStatus status = collector::read_spool_status(folder_);
  const std::uint64_t more = status.events - std::min(status.events, last_events_);
  fmt::print(stderr, "\r\033[K{}\r", live_line(Seconds(now - start_).count(), more, Seconds(now - last_).count(), status));
  std::fflush(stderr);
  drawn_ = true;
  last_ = now;
  last_events_ = status.events;
}

void RecordingWatch::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

std::string RecordingWatch::unrecorded() const {
  std::string text;
  for (const auto& [error, processes] : processes_by_error_) {
    text += fmt::format("{}{} process{} could not create a spool: {}", text.empty() ? "" : "; ", processes,
                        processes == 1 ? "" : "es", std::generic_category().message(error));
  }
  return text;
}

}  // namespace gputrace::cli
