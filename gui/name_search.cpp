#include "gui/name_search.h"

#include <regex.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "gui/event_text.h"
#include "gui/time_math.h"

namespace gputrace::gui {
namespace {

// glibc's matcher: it does not throw, and long names cost it time but no stack.
class Pattern {
 public:
  explicit Pattern(const std::string& text)
      : status_{regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_ICASE | REG_NOSUB)} {}
  ~Pattern() {
    if (status_ == 0) regfree(&compiled_);
  }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  std::string problem() const {
    if (status_ == 0) return "";
    char text[200];
    regerror(status_, &compiled_, text, sizeof text);
    return text;
  }
  bool matches(std::string_view name) const {
    return regexec(&compiled_, std::string{name.substr(0, kMaxSearchedName)}.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_{};
  int status_;
};

struct NamedTable {
  trace::Table table;
  const std::vector<trace::StringId>* names;
  const std::vector<std::int64_t>* start_ns;
};

std::vector<NamedTable> named_tables(const trace::Trace& trace) {
  return {{trace::Table::kernels, &trace.kernels.name, &trace.kernels.start_ns},
          {trace::Table::api_calls, &trace.api_calls.name, &trace.api_calls.start_ns},
          {trace::Table::nvtx, &trace.nvtx.text, &trace.nvtx.start_ns}};
}

void search_table(const Session& session, const NamedTable& table, const Pattern& pattern,
                  NameSearch& search) {
  constexpr std::uint32_t kUnseen = UINT32_MAX, kNoMatch = UINT32_MAX - 1;
  std::vector<std::uint32_t> match_of(session.trace.strings.size(), kUnseen);
  for (std::size_t i = 0; i < std::min(table.names->size(), EventRef::kMaxRows); ++i) {
    const trace::StringId name = (*table.names)[i];
    const EventRef event{table.table, i};
    std::uint32_t& match = match_of[name.value];
    if (match == kUnseen) {
      const std::string label = event_label(session, event);
      match = kNoMatch;
      if (pattern.matches(session.trace.text(name)) || pattern.matches(label)) {
        match = static_cast<std::uint32_t>(search.matches.size());
        search.matches.push_back({.name = name, .table = table.table, .label = label});
      }
    }
    if (match == kNoMatch) continue;
    const trace::Span span = event_span(session.trace, event);
    ++search.matches[match].count;
    search.matches[match].total_ns += distance_ns(span.start_ns, span.end_ns);
    ++search.events;
  }
}

}  // namespace

NameSearch search_names(const Session& session, const std::string& pattern) {
  NameSearch search{.pattern = pattern, .problem = {}, .matches = {}};
  if (pattern.empty()) return search;
  const Pattern compiled{pattern};
  search.problem = compiled.problem();
  if (!search.problem.empty()) return search;
  for (const NamedTable& table : named_tables(session.trace)) search_table(session, table, compiled, search);
  std::stable_sort(search.matches.begin(), search.matches.end(),
                   [](const NameMatch& a, const NameMatch& b) { return a.total_ns > b.total_ns; });
  return search;
}

EventRef next_match(const Session& session, const NameSearch& search, std::int64_t time_ns, int direction) {
  EventRef best;
  std::int64_t best_ns = 0;
  for (const NamedTable& table : named_tables(session.trace)) {
    std::vector<bool> wanted(session.trace.strings.size(), false);
    for (const NameMatch& match : search.matches)
      if (match.table == table.table) wanted[match.name.value] = true;
    const auto& starts = *table.start_ns;
    const auto from = direction > 0 ? std::upper_bound(starts.begin(), starts.end(), time_ns)
                                    : std::lower_bound(starts.begin(), starts.end(), time_ns);
    for (std::ptrdiff_t i = from - starts.begin() - (direction > 0 ? 0 : 1); i >= 0 && i < std::ssize(starts);
         i += direction) {
      const auto row = static_cast<std::size_t>(i);
      if (row >= EventRef::kMaxRows || !wanted[(*table.names)[row].value]) continue;
      if (!best.valid() || (direction > 0 ? starts[row] < best_ns : starts[row] > best_ns)) {
        best = EventRef{table.table, row};
        best_ns = starts[row];
      }
      break;
    }
  }
  return best;
}

}  // namespace gputrace::gui
