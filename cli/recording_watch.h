// Looks after a recording while its program runs: a live line on a terminal, and the processes that could not be recorded.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "collector/spool_status.h"

namespace gputrace::cli {

class RecordingWatch {
 public:
  // `live`: draws on stderr until stop(). The folder is that of the spools.
  RecordingWatch(std::filesystem::path folder, bool live);
  RecordingWatch(const RecordingWatch&) = delete;
  RecordingWatch& operator=(const RecordingWatch&) = delete;
  ~RecordingWatch();

  // For GPUTRACE_NOTICE_SOCKET; "" where none could be made, and such processes then stay unheard of.
  const std::string& socket_name() const { return socket_name_; }
  void stop();
  // After stop(): "2 processes could not create a spool: Permission denied", or "".
  std::string unrecorded() const;

 private:
  void open_socket();
  void run(const std::stop_token& stop);
  void read_notices();
  void draw();

  std::filesystem::path folder_;
  bool live_, drawn_ = false;
  int socket_ = -1;
  std::string socket_name_;
  std::map<int, int> processes_by_error_;  // errno
  std::chrono::steady_clock::time_point start_, last_;
  std::uint64_t last_events_ = 0;
  std::jthread thread_;
};

// "gputrace: 12 s, 45300 records/s, 0 dropped, 12.3 MB". The rate is that of `events` more in `seconds`.
std::string live_line(double elapsed_s, std::uint64_t events, double seconds, const collector::SpoolStatus& status);

}  // namespace gputrace::cli
