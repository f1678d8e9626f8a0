#include "gui/app/loader.h"

#include <utility>

#include "trace/trace_preview.h"

namespace gputrace::gui {

Loader::Loader(std::filesystem::path file, std::filesystem::path names, const Session* above)
    : file_{std::move(file)}, names_{std::move(names)}, above_{above} {
  thread_ = std::thread{[this] {
    run();
    ended_ = true;
  }};
}

Loader::~Loader() {
  cancelled_ = true;
  thread_.join();
}

void Loader::run() {
  const auto name_rules = analyzer::users_name_rules(names_);
  if (!name_rules) return put(tl::unexpected<Error>(name_rules.error()));
  if (above_ == nullptr) look_first(*name_rules);
  stage_ = "reading";
  Result<trace::Trace> trace = read_job(file_, [this](double share) {
    share_ = static_cast<float>(share);
    return !cancelled_;
  });
  if (!trace) return put(tl::unexpected<Error>(trace.error()));
  stage_ = "laying out the lanes";
  auto session = Session::without_analysis(std::move(*trace), *name_rules);
  const Session& shown = *session;  // stays where it is when it is handed over
  if (above_ == nullptr) put(std::move(session));
  if (cancelled_) return;
  stage_ = "looking for bottlenecks";
  Findings findings{.analysis = shown.analyse(), .diff = {}};
  if (above_ != nullptr) findings.diff = analyzer::diff_traces(above_->trace, shown.trace, *name_rules);
  const std::lock_guard held{lock_};
  if (above_ != nullptr) session_ = std::move(session);
  findings_ = std::move(findings);
}

void Loader::look_first(const std::vector<analyzer::NameRule>& name_rules) {
  auto preview = trace::read_preview(file_);
  if (!preview || cancelled_ || preview->rows_read >= preview->rows) return;  // small: the whole is there as soon
  auto look = Session::without_analysis(std::move(preview->trace), name_rules);
  look->share_of_trace = static_cast<double>(preview->rows_read) / static_cast<double>(preview->rows);
  const std::lock_guard held{lock_};
  first_look_ = std::move(look);
}

void Loader::put(Result<std::unique_ptr<Session>> session) {
  const std::lock_guard held{lock_};
  session_ = std::move(session);
}

std::unique_ptr<Session> Loader::take_first_look() {
  const std::lock_guard held{lock_};
  return std::move(first_look_);
}

std::optional<Result<std::unique_ptr<Session>>> Loader::take_session() {
  const std::lock_guard held{lock_};
  return std::exchange(session_, std::nullopt);
}

std::optional<Loader::Findings> Loader::take_findings() {
  const std::lock_guard held{lock_};
  if (session_) return std::nullopt;  // not handed over yet
  return std::exchange(findings_, std::nullopt);
}

}  // namespace gputrace::gui
