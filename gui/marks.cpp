#include "gui/marks.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>
#include <system_error>

namespace gputrace::gui {
namespace {

constexpr std::string_view kFirstLine = "# marks of gputrace view";
constexpr std::uintmax_t kMaxBytes = 4 << 20;

bool is_marks_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error) || std::filesystem::file_size(file, error) > kMaxBytes)
    return false;
  std::ifstream in{file};
  std::string first(kFirstLine.size(), ' ');
  return in.read(first.data(), static_cast<std::streamsize>(first.size())) && first == kFirstLine;
}

bool earlier(const Mark& a, const Mark& b) { return a.time_ns < b.time_ns; }

std::string one_line(std::string note) {
  for (char& c : note)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return note;
}

}  // namespace

std::filesystem::path marks_file(const std::filesystem::path& trace) {
  return std::filesystem::path{trace}.concat(".marks");
}

std::vector<Mark> read_marks(const std::filesystem::path& trace) {
  std::vector<Mark> marks;
  const std::filesystem::path file = marks_file(trace);
  if (trace.empty() || !is_marks_file(file)) return marks;
  std::ifstream in{file};
  for (std::string line; marks.size() < kMaxMarks && std::getline(in, line);) {
    Mark mark;
    const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), mark.time_ns);
    if (problem != std::errc{} || end == line.data() + line.size() || *end != '\t') continue;
    mark.note = line.substr(static_cast<std::size_t>(end + 1 - line.data()));
    marks.push_back(std::move(mark));
  }
  std::stable_sort(marks.begin(), marks.end(), earlier);
  return marks;
}

Result<void> write_marks(const std::filesystem::path& trace, std::vector<Mark> marks) {
  if (trace.empty()) return fail("cannot keep the marks: the trace is in no file");
  const std::filesystem::path file = marks_file(trace);
  std::error_code error;
  const bool is_there = std::filesystem::exists(file, error);
  if (is_there && !is_marks_file(file))
    return fail("is no file of marks: it stays as it is", file.string(), "move it away to keep marks");
  if (marks.empty()) {
    std::filesystem::remove(file, error);
    if (error) return fail("cannot remove the marks: " + error.message(), file.string());
    return {};
  }
  std::stable_sort(marks.begin(), marks.end(), earlier);
  std::ofstream out{file, std::ios::trunc};
  out << kFirstLine << '\n';
  for (const Mark& mark : marks) out << mark.time_ns << '\t' << one_line(mark.note) << '\n';
  out.close();
  if (!out) return fail("cannot keep the marks", file.string(), "check that the trace's folder can be written");
  return {};
}

}  // namespace gputrace::gui
