#include "trace/text_lines.h"

#include <algorithm>
#include <cstring>

namespace gputrace::trace {

// Keeps what is not taken yet, and reads more behind it; false where there is no more, or no room.
bool TextLines::refill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(position_), buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
  filled_ -= position_;
  position_ = 0;
  if (buffer_.empty()) buffer_.resize(kLongestLineBytes);
  if (filled_ == buffer_.size()) return false;
  const std::size_t bytes = source_.read({buffer_.data() + filled_, buffer_.size() - filled_});
  filled_ += bytes;
  return bytes > 0;
}

// A piece of text up to a line end, the end of the text, or the limit.
std::optional<std::string_view> TextLines::next_piece(bool& ends_line) {
  std::size_t searched = 0;
  while (true) {
    const std::string_view text(buffer_.data() + position_, filled_ - position_);
    if (const std::size_t end = text.find('\n', searched); end != std::string_view::npos) {
      position_ += end + 1;
      ends_line = true;
      return text.substr(0, end);
    }
    searched = text.size();
    if (refill()) continue;
    const std::string_view rest(buffer_.data() + position_, filled_ - position_);
    ends_line = rest.size() < kLongestLineBytes;
    position_ = filled_;
    if (rest.empty()) return std::nullopt;
    return rest;
  }
}

std::optional<std::string_view> TextLines::next() {
  bool ends_line = true;
  while (is_inside_cut_line_) {
    if (!next_piece(ends_line)) return std::nullopt;
    is_inside_cut_line_ = !ends_line;
  }
  auto line = next_piece(ends_line);
  if (!line) return std::nullopt;
  is_inside_cut_line_ = !ends_line;
  cut_lines_ += !ends_line;
  if (line->ends_with('\r')) line->remove_suffix(1);
  return line;
}

}  // namespace gputrace::trace
