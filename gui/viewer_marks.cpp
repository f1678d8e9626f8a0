// What the user does with marks: each change is kept in the file beside the trace at once.
#include <algorithm>
#include <utility>

#include "gui/viewer.h"

namespace gputrace::gui {
namespace {

void save_marks(Viewer& viewer) {
  const auto saved = write_marks(viewer.session.trace.metadata.file, viewer.marks);
  viewer.message = saved ? "" : saved.error().line();
}

}  // namespace

void begin_mark(Viewer& viewer, std::int64_t time_ns) { viewer.mark = Mark{time_ns, ""}; }

void keep_mark(Viewer& viewer) {
  if (!viewer.mark) return;
  const Mark mark = *std::exchange(viewer.mark, std::nullopt);
  const auto later = std::lower_bound(viewer.marks.begin(), viewer.marks.end(), mark,
                                      [](const Mark& a, const Mark& b) { return a.time_ns < b.time_ns; });
  if (later != viewer.marks.end() && later->time_ns == mark.time_ns)
    *later = mark;
  else if (viewer.marks.size() < kMaxMarks)
    viewer.marks.insert(later, mark);
  save_marks(viewer);
}

void remove_mark(Viewer& viewer, std::size_t mark) {
  if (mark >= viewer.marks.size()) return;
  viewer.marks.erase(viewer.marks.begin() + static_cast<std::ptrdiff_t>(mark));
  save_marks(viewer);
}

}  // namespace gputrace::gui
