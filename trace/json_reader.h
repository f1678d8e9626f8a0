// JSON in two steps. JsonStream cuts a file of any length into its values, one at a time, in bounded memory;
// JsonFields walks the fields of one such value. Both take what profilers write: control characters inside
// strings, NaN, a file that ends in the middle.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/byte_source.h"

namespace gputrace::trace {

class JsonStream {
 public:
  static constexpr std::size_t kLongestValueBytes = std::size_t{64} << 20;
  static constexpr int kDeepestNesting = 512;  // of arrays and objects in a value

  explicit JsonStream(ByteSource source) : source_(std::move(source)) {}

  // The next character that is no white space, without taking it; '\0' at the end.
  char peek();
  // Takes that character.
  void skip() { ++position_; }
  // Takes a whole value, which starts at the next character; valid until the next call. None where the file
  // ends inside the value, or the value is over a limit: is_too_long().
  std::optional<std::string_view> value();
  bool is_too_long() const { return is_too_long_; }
  const ByteSource& source() const { return source_; }

 private:
  bool refill(std::size_t keep_from);

  ByteSource source_;
  std::vector<char> buffer_;
  std::size_t position_ = 0, filled_ = 0;
  bool is_too_long_ = false;
};

// for (JsonFields fields(object); fields.next();) use(fields.key(), fields.value());
class JsonFields {
 public:
  explicit JsonFields(std::string_view object)
      : text_(object.starts_with('{') ? object.substr(1) : std::string_view()) {}
  bool next();
  std::string_view key() const { return key_; }      // as in the file, escapes and all
  std::string_view value() const { return value_; }  // the same, with its quotes where it is a string

 private:
  std::string_view text_, key_, value_;
};

// for (JsonItems items(array); items.next();) use(items.value());
class JsonItems {
 public:
  explicit JsonItems(std::string_view array)
      : text_(array.starts_with('[') ? array.substr(1) : std::string_view()) {}
  bool next();
  std::string_view value() const { return value_; }

 private:
  std::string_view text_, value_;
};

// The text of a string value, escapes resolved; a value of another type as it stands.
std::string json_text(std::string_view value);
// A whole number, quoted or not, exactly; none for anything else or where it does not fit.
std::optional<std::int64_t> json_integer(std::string_view value);
// A number, quoted or not, as near as a double comes; none for anything else.
std::optional<double> json_number(std::string_view value);
// A decimal number of microseconds as nanoseconds, exactly: a double keeps only 256 ns of today's date.
// Digits below 1 ns are cut off.
std::optional<std::int64_t> json_microseconds_as_ns(std::string_view value);

}  // namespace gputrace::trace
