// `record --capture-signal`: the signal that starts and stops the capture in all processes of a recording.
#pragma once

#include <filesystem>
#include <string>

#include "trace/result.h"

namespace gputrace::spool {
struct CaptureSwitchPage;
}

namespace gputrace::cli {

// "USR1" or "USR2" as its number; 0 for another name.
int capture_signal(const std::string& name);

// The switch's file in the spool folder, closed at first: nothing is captured until the first flip.
class CaptureSwitch {
 public:
  static Result<CaptureSwitch> create(const std::filesystem::path& folder);
  CaptureSwitch(CaptureSwitch&& other) noexcept;
  CaptureSwitch& operator=(CaptureSwitch&&) = delete;
  ~CaptureSwitch();

  const std::filesystem::path& path() const { return path_; }
  // For a signal handler. Does nothing while there is no switch.
  static void flip_current() noexcept;

 private:
  CaptureSwitch(std::filesystem::path path, spool::CaptureSwitchPage* page);

  std::filesystem::path path_;
  spool::CaptureSwitchPage* page_ = nullptr;
};

}  // namespace gputrace::cli
