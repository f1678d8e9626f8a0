#include "gui/session.h"

#include <array>
#include <system_error>

#include "analyzer/analyze.h"
#include "analyzer/parallel_for.h"
#include "trace/merge_traces.h"
#include "trace/trace_reader.h"

namespace gputrace::gui {

Session::Session(trace::Trace opened, std::vector<analyzer::NameRule> rules, LanesOnly)
    : trace{std::move(opened)},
      name_rules{std::move(rules)},
      names{trace, name_rules} {
  const std::array<std::function<void()>, 3> parts{[this] { timeline = build_timeline(trace, names); },
                                                   [this] { launches = analyzer::LaunchIndex{trace}; },
                                                   [this] { name_totals = total_names(trace); }};
  analyzer::parallel_for(parts.size(), [&](std::size_t part) { parts[part](); });
  legend = legend_of(timeline, {});
}

Session::Session(trace::Trace opened, std::vector<analyzer::NameRule> rules)
    : Session{std::move(opened), std::move(rules), LanesOnly{}} {
  take(analyse());
}

std::unique_ptr<Session> Session::without_analysis(trace::Trace opened, std::vector<analyzer::NameRule> rules) {
  return std::unique_ptr<Session>{new Session{std::move(opened), std::move(rules), LanesOnly{}}};
}

Analysis Session::analyse() const {
  return {.diagnosis = analyzer::analyze(trace, name_rules), .idle = find_idle_causes(trace, timeline, launches)};
}

void Session::take(Analysis analysis) {
  diagnosis = std::move(analysis.diagnosis);
  idle = std::move(analysis.idle);
  legend = legend_of(timeline, idle);
  is_analysed = true;
}

std::size_t Session::size_bytes() const {
  constexpr std::size_t kBytesPerLaunch = 16;  // of analyzer::LaunchIndex, at most
  std::size_t bytes = timeline.size_bytes() + trace.api_calls.size() * kBytesPerLaunch + name_totals.capacity() * sizeof(NameTotal);
  for (const IdleRow& row : idle) bytes += row.size_bytes();
  return bytes;
}

Result<trace::Trace> read_job(const std::filesystem::path& path, const std::function<bool(double)>& progress) {
  const trace::ReadOptions options{.progress = progress};
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return trace::read_trace(path, options);
  const auto files = trace::traces_in_folder(path);
  if (!files) return tl::unexpected<Error>(files.error());
  std::vector<trace::Trace> traces;
  for (const std::filesystem::path& file : *files) {
    auto trace = trace::read_trace(file, options);
    if (!trace) return trace;
    traces.push_back(std::move(*trace));
  }
  return trace::merge_traces(std::move(traces));
}

Result<std::unique_ptr<Session>> open_session(const std::filesystem::path& file, const LoadProgress& progress,
                                              const std::filesystem::path& names) {
  const auto name_rules = analyzer::users_name_rules(names);
  if (!name_rules) return tl::unexpected<Error>(name_rules.error());
  Result<trace::Trace> trace =
      read_job(file, [&](double share) { return !progress || progress("reading", share); });
  if (!trace) return tl::unexpected<Error>(trace.error());
  if (progress && !progress("analysing", 1)) return fail("interrupted", file.string());
  return std::make_unique<Session>(std::move(*trace), *name_rules);
}

}  // namespace gputrace::gui
