// Opens a trace on a thread of its own and hands it over in parts, as soon as each is there: a first look at some of its
// events, all its lanes, and what the analysis says.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "analyzer/diff/trace_diff.h"
#include "gui/session.h"

namespace gputrace::gui {

class Loader {
 public:
  struct Findings {
    Analysis analysis;
    std::optional<analyzer::TraceDiff> diff;  // with `above`, where there is one
  };

  // above: the trace that this one is compared with; it must outlive this. Then no first look is handed over.
  explicit Loader(std::filesystem::path file, std::filesystem::path names = {}, const Session* above = nullptr);
  ~Loader();  // stops the reading and waits; an analysis under way runs to its end
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  const std::filesystem::path& file() const { return file_; }
  float share_done() const { return share_; }
  const char* stage() const { return stage_; }
  void cancel() { cancelled_ = true; }
  bool has_ended() const { return ended_; }

  // Each once, in this order; null or nullopt while it is not there. The session must stay until has_ended().
  std::unique_ptr<Session> take_first_look();
  std::optional<Result<std::unique_ptr<Session>>> take_session();
  std::optional<Findings> take_findings();

 private:
  void run();
  void look_first(const std::vector<analyzer::NameRule>& name_rules);
  void put(Result<std::unique_ptr<Session>> session);

  std::filesystem::path file_, names_;
  const Session* above_;
  std::atomic<float> share_ = 0;
  std::atomic<const char*> stage_ = "opening";
  std::atomic<bool> cancelled_ = false, ended_ = false;
  std::mutex lock_;  // of the three that follow
  std::unique_ptr<Session> first_look_;
  std::optional<Result<std::unique_ptr<Session>>> session_;
  std::optional<Findings> findings_;
  std::thread thread_;
};

}  // namespace gputrace::gui
