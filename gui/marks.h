// Marks with notes at moments of a trace, kept in a text file beside it: FILE.marks, a line "TIME_NS<tab>NOTE" each
// below a first line that says what it is. Times are on the trace's own axis.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "trace/result.h"

namespace gputrace::gui {

struct Mark {
  std::int64_t time_ns = 0;
  std::string note;
  friend bool operator==(const Mark&, const Mark&) = default;
};

std::filesystem::path marks_file(const std::filesystem::path& trace);

// None where there is no such file, or it is none of ours. Lines that are no mark are left out; at most kMaxMarks are read.
inline constexpr std::size_t kMaxMarks = 10'000;
std::vector<Mark> read_marks(const std::filesystem::path& trace);
// In order of time. Without marks the file is removed. A control character in a note is written as a space. Errors: a file of that
// name that is none of ours, which stays as it is; a folder that cannot be written.
Result<void> write_marks(const std::filesystem::path& trace, std::vector<Mark> marks);

}  // namespace gputrace::gui
