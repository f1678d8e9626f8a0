// What the viewer writes about an event: on it, and in the details panel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/event_ref.h"
#include "gui/session.h"

namespace gputrace::gui {

struct Property {
  std::string name, value;
};

trace::Span event_span(const trace::Trace& trace, EventRef event);
std::string event_label(const Session& session, EventRef event);      // one line, to draw on the event
std::string event_full_name(const Session& session, EventRef event);  // as in the trace
std::vector<Property> event_properties(const Session& session, EventRef event);
std::optional<trace::StringId> event_name_id(const trace::Trace& trace,
                                             EventRef event);  // of kinds that have names

// The API call of an activity on a GPU, or the activities of a call: those with its correlation in its
// process.
std::vector<EventRef> linked_events(const Session& session, EventRef event);

}  // namespace gputrace::gui
