// Opens a trace on a thread of its own, so that the window answers meanwhile.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "gui/session.h"

namespace gputrace::gui {

class Loader {
 public:
  explicit Loader(std::filesystem::path file);
  ~Loader();  // stops the reading and waits for it
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  const std::filesystem::path& file() const { return file_; }
  float share_done() const { return share_; }
  const char* stage() const { return stage_; }
  void cancel() { cancelled_ = true; }
  // The session or what went wrong, once; nullopt while it is not ready.
  std::optional<Result<std::unique_ptr<Session>>> take();

 private:
  std::filesystem::path file_;
  std::atomic<float> share_ = 0;
  std::atomic<const char*> stage_ = "opening";
  std::atomic<bool> cancelled_ = false, ready_ = false;
  std::optional<Result<std::unique_ptr<Session>>> result_;  // written before ready_ is set
  std::thread thread_;
};

}  // namespace gputrace::gui
