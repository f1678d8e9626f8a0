// Search over names, explained and raw: a regular expression (POSIX extended, case ignored) against each
// distinct name, then over events by the ids of names that matched.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gui/event_ref.h"
#include "gui/session.h"

namespace gputrace::gui {

struct NameMatch {
  trace::StringId name;
  trace::Table table{};  // where events of that name are
  std::uint64_t count = 0, total_ns = 0;
  std::string label;
};

// How far a walk through the matches in order of time has come: the next row of each named table.
using MatchCursor = std::array<std::size_t, 3>;

struct NameSearch {
  std::string pattern;
  std::string problem;             // what is wrong with the pattern; "" where nothing is
  std::vector<NameMatch> matches;  // by total time
  std::uint64_t events = 0;        // of all matches
};

inline constexpr std::size_t kMaxSearchedName = 4096;  // bytes of a name that are looked at

NameSearch search_names(const Session& session, const std::string& pattern);
// The matching events in order of time from the cursor on, at most `most`; moves the cursor past them.
std::vector<EventRef> matches_from(const Session& session, const NameSearch& search, MatchCursor& cursor,
                                   std::size_t most);
// The next event in time after (direction +1) or before (-1) `time_ns` whose name is among the matches.
EventRef next_match(const Session& session, const NameSearch& search, std::int64_t time_ns, int direction);

}  // namespace gputrace::gui
