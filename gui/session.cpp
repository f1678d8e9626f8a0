#include "gui/session.h"

#include "analyzer/analyze.h"
#include "trace/trace_reader.h"

namespace gputrace::gui {

Session::Session(trace::Trace opened, const std::vector<analyzer::NameRule>& name_rules)
    : trace{std::move(opened)},
      diagnosis{analyzer::analyze(trace, name_rules)},
      names{trace, name_rules},
      timeline{build_timeline(trace, names)},
      launches{trace} {}

Result<std::unique_ptr<Session>> open_session(const std::filesystem::path& file,
                                              const LoadProgress& progress) {
  trace::ReadOptions options;
  if (progress) options.progress = [&](double share) { return progress("reading", share); };
  Result<trace::Trace> trace = trace::read_trace(file, options);
  if (!trace) return tl::unexpected<Error>(trace.error());
  if (progress && !progress("analysing", 1)) return fail("interrupted", file.string());
  const auto name_rules = analyzer::users_name_rules({});
  if (!name_rules) return tl::unexpected<Error>(name_rules.error());
  return std::make_unique<Session>(std::move(*trace), *name_rules);
}

}  // namespace gputrace::gui
