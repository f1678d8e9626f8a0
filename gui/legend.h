// Which categories a trace shows: the colours that the legend explains.
#pragma once

#include <vector>

#include "gui/idle_row.h"
#include "gui/timeline.h"

namespace gputrace::gui {

// Those that take any time, of all lanes but ranges, whose colours mean nothing; and the causes of idle time, where they have
// been found (`idle`: by lane, or empty).
CategorySet legend_of(const Timeline& timeline, const std::vector<IdleRow>& idle);

}  // namespace gputrace::gui
