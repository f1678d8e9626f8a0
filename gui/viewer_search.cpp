// What the user does with the search: its pages of events in order of time, and steps from one to the next.
#include "gui/viewer.h"

namespace gputrace::gui {

void show_match(Viewer& viewer, int direction) {
  if (viewer.search.matches.empty()) return;
  std::int64_t from_ns = viewer.view.span().start_ns;
  if (viewer.selected) {
    const EventPlace& place = viewer.selected->place;
    from_ns = viewer.session.timeline.lanes[place.lane].rows[place.row].start_ns(place.index);
  }
  const EventRef found = next_match(viewer.session, viewer.search, from_ns, direction);
  if (!found.valid()) return;
  select_event(viewer, found);
  viewer.side_panel = SidePanel::search;
}

void search_for(Viewer& viewer, const std::string& pattern) {
  viewer.search = search_names(viewer.session, pattern);
  viewer.pages.clear();
  viewer.next_page = {};
  turn_page(viewer, +1);
}

void turn_page(Viewer& viewer, int direction) {
  constexpr std::size_t kPage = 100;
  if (direction < 0) {
    if (viewer.pages.size() < 2) return;
    viewer.pages.pop_back();
    viewer.next_page = viewer.pages.back();
    viewer.pages.pop_back();
  }
  MatchCursor cursor = viewer.next_page;
  std::vector<EventRef> page = matches_from(viewer.session, viewer.search, cursor, kPage);
  if (page.empty() && !viewer.pages.empty()) return;
  viewer.pages.push_back(viewer.next_page);
  viewer.next_page = cursor;
  viewer.occurrences = std::move(page);
}

}  // namespace gputrace::gui
