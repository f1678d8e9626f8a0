#include "gui/name_search.h"

#include <regex.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "gui/event_text.h"

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

std::vector<bool> wanted_names(const Session& session, const NameSearch& search, trace::Table table) {
  std::vector<bool> wanted(session.trace.strings.size(), false);
  for (const NameMatch& match : search.matches)
    if (match.table == table) wanted[match.name.value] = true;
  return wanted;
}

}  // namespace

NameSearch search_names(const Session& session, const std::string& pattern) {
  NameSearch search{.pattern = pattern, .problem = {}, .matches = {}};
  if (pattern.empty()) return search;
  const Pattern compiled{pattern};
  search.problem = compiled.problem();
  if (!search.problem.empty()) return search;
  for (const NameTotal& total : session.name_totals) {
    const std::string label = event_label(session, total.first);
    if (!compiled.matches(session.trace.text(total.name)) && !compiled.matches(label)) continue;
    search.matches.push_back({total.name, total.first.table(), total.count, total.total_ns, label});
    search.events += total.count;
  }
  std::stable_sort(search.matches.begin(), search.matches.end(),
                   [](const NameMatch& a, const NameMatch& b) { return a.total_ns > b.total_ns; });
  return search;
}

std::vector<EventRef> matches_from(const Session& session, const NameSearch& search, MatchCursor& cursor,
                                   std::size_t most) {
  const std::vector<NamedTable> tables = named_tables(session.trace);
  std::array<std::vector<bool>, std::tuple_size_v<MatchCursor>> wanted;
  const auto rows = [&](std::size_t t) { return std::min(tables[t].names->size(), EventRef::kMaxRows); };
  const auto skip = [&](std::size_t t) {
    while (cursor[t] < rows(t) && !wanted[t][(*tables[t].names)[cursor[t]].value]) ++cursor[t];
  };
  for (std::size_t t = 0; t < tables.size(); ++t) {
    wanted[t] = wanted_names(session, search, tables[t].table);
    skip(t);
  }
  std::vector<EventRef> found;
  while (found.size() < most) {
    std::size_t first = tables.size();
    for (std::size_t t = 0; t < tables.size(); ++t)
      if (cursor[t] < rows(t) && (first == tables.size() || (*tables[t].start_ns)[cursor[t]] <
                                                                (*tables[first].start_ns)[cursor[first]]))
        first = t;
    if (first == tables.size()) break;
    found.emplace_back(tables[first].table, cursor[first]++);
    skip(first);
  }
  return found;
}

EventRef next_match(const Session& session, const NameSearch& search, std::int64_t time_ns, int direction) {
  EventRef best;
  std::int64_t best_ns = 0;
  for (const NamedTable& table : named_tables(session.trace)) {
    const std::vector<bool> wanted = wanted_names(session, search, table.table);
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
