// The lines of a text of any length, plain or gzip, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/byte_source.h"

namespace gputrace::trace {

class TextLines {
 public:
  static constexpr std::size_t kLongestLineBytes = std::size_t{1} << 20;  // what follows in the line is left out, and counted

  explicit TextLines(ByteSource source) : source_(std::move(source)) {}

  // Without its line end (\n or \r\n); valid until the next call. None at the end.
  std::optional<std::string_view> next();
  std::int64_t cut_lines() const { return cut_lines_; }
  const ByteSource& source() const { return source_; }

 private:
  bool refill();
  std::optional<std::string_view> next_piece(bool& ends_line);

  ByteSource source_;
  std::vector<char> buffer_;
  std::size_t position_ = 0, filled_ = 0;
  std::int64_t cut_lines_ = 0;
  bool is_inside_cut_line_ = false;
};

}  // namespace gputrace::trace
