#include "trace/json_reader.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace gputrace::trace {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool ends_bare_value(char c) { return is_space(c) || c == ',' || c == '}' || c == ']' || c == ':'; }

// Finds where a value ends, over any number of calls with more of the same text.
class ValueScanner {
 public:
  // The length of the value when `text`, which starts at the value, holds all of it; else none, to be called
  // with more.
  std::optional<std::size_t> end(std::string_view text) {
    while (at_ < text.size()) {
      const char c = text[at_];
      if (in_string_) {
        if (c == '\\')
          at_ += 2;
        else if (++at_, c == '"')
          in_string_ = false;
        if (!in_string_ && depth_ == 0) return at_;
        continue;
      }
      if (c == '"')
        in_string_ = true;
      else if (c == '{' || c == '[')
        ++depth_;
      else if ((c == '}' || c == ']') && depth_ > 0)
        --depth_;
      else if (depth_ == 0 && ends_bare_value(c))
        return at_;
      else if (depth_ == 0)
        is_bare_ = true;
      ++at_;
      if (depth_ == 0 && !in_string_ && !is_bare_) return at_;
    }
    return std::nullopt;
  }
  int depth() const { return depth_; }

 private:
  std::size_t at_ = 0;
  int depth_ = 0;
  bool in_string_ = false, is_bare_ = false;
};

void skip_spaces_and(std::string_view& text, char separator) {
  while (!text.empty() && (is_space(text.front()) || text.front() == separator)) text.remove_prefix(1);
}

std::string_view take_value(std::string_view& text) {
  ValueScanner scanner;
  const std::string_view value = text.substr(0, scanner.end(text).value_or(text.size()));
  text.remove_prefix(value.size());
  return value;
}

std::string_view unquoted(std::string_view value) {
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    return value.substr(1, value.size() - 2);
  return value;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto byte = [&text](std::uint32_t value) { text += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) return byte(0xC0 | code >> 6), byte(0x80 | (code & 0x3F));
  if (code < 0x10000)
    return byte(0xE0 | code >> 12), byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F));
  byte(0xF0 | code >> 18), byte(0x80 | (code >> 12 & 0x3F)), byte(0x80 | (code >> 6 & 0x3F)),
      byte(0x80 | (code & 0x3F));
}

// The code point after "\u", surrogate pairs joined; the text is moved behind it.
std::uint32_t take_code_point(std::string_view& text) {
  const auto take_four = [&text] {
    std::uint32_t code = 0xFFFD;  // what stands for a broken character
    const std::string_view digits = text.substr(0, 4);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), code, 16).ptr != digits.data() + 4)
      code = 0xFFFD;
    text.remove_prefix(digits.size());
    return code;
  };
  const std::uint32_t high = take_four();
  if (high < 0xD800 || high > 0xDFFF) return high;
  if (high > 0xDBFF || !text.starts_with("\\u")) return 0xFFFD;
  text.remove_prefix(2);
  const std::uint32_t low = take_four();
  if (low < 0xDC00 || low > 0xDFFF) return 0xFFFD;
  return 0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF);
}

}  // namespace

bool JsonStream::refill(std::size_t keep_from) {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(keep_from),
            buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
  filled_ -= keep_from;
  position_ -= keep_from;
  if (buffer_.size() - filled_ < kBufferBytes / 2) buffer_.resize(std::max(kBufferBytes, buffer_.size() * 2));
  const std::size_t bytes = source_.read({buffer_.data() + filled_, buffer_.size() - filled_});
  filled_ += bytes;
  return bytes > 0;
}

char JsonStream::peek() {
  while (true) {
    while (position_ < filled_ && is_space(buffer_[position_])) ++position_;
    if (position_ < filled_) return buffer_[position_];
    if (!refill(position_)) return '\0';
  }
}

std::optional<std::string_view> JsonStream::value() {
  peek();
  ValueScanner scanner;
  while (true) {
    const std::string_view text(buffer_.data() + position_, filled_ - position_);
    if (const auto length = scanner.end(text)) {
      position_ += *length;
      return text.substr(0, *length);
    }
    is_too_long_ = text.size() > kLongestValueBytes || scanner.depth() > kDeepestNesting;
    if (is_too_long_ || !refill(position_)) return std::nullopt;
  }
}

bool JsonFields::next() {
  skip_spaces_and(text_, ',');
  if (!text_.starts_with('"')) return false;
  key_ = unquoted(take_value(text_));
  skip_spaces_and(text_, ':');
  value_ = take_value(text_);
  return !value_.empty();
}

bool JsonItems::next() {
  skip_spaces_and(text_, ',');
  if (text_.empty() || text_.front() == ']') return false;
  value_ = take_value(text_);
  return !value_.empty();
}

std::string json_text(std::string_view value) {
  std::string_view text = unquoted(value);
  std::string result;
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find('\\'), text.size());
    result += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.size() < 2) break;
    const char c = text[1];
    text.remove_prefix(2);
    switch (c) {
      case 'n':
        result += '\n';
        break;
      case 't':
        result += '\t';
        break;
      case 'r':
        result += '\r';
        break;
      case 'b':
        result += '\b';
        break;
      case 'f':
        result += '\f';
        break;
      case 'u':
        append_utf8(result, take_code_point(text));
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::optional<std::int64_t> json_integer(std::string_view value) {
  const std::string_view text = unquoted(value);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> json_number(std::string_view value) {
  const std::string_view text = unquoted(value);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> json_microseconds_as_ns(std::string_view value) {
  constexpr std::int64_t kNsPerMicrosecond = 1000, kLimit = INT64_MAX / kNsPerMicrosecond - 1;
  std::string_view text = unquoted(value);
  const bool is_negative = text.starts_with('-');
  std::int64_t whole = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc{} || whole > kLimit || whole < -kLimit) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  std::int64_t fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    for (std::int64_t unit = 100; !text.empty() && text[0] >= '0' && text[0] <= '9'; unit /= 10) {
      fraction += (text[0] - '0') * unit;
      text.remove_prefix(1);
    }
  }
  if (!text.empty()) return std::nullopt;  // an exponent, or no number
  return whole * kNsPerMicrosecond + (is_negative ? -fraction : fraction);
}

}  // namespace gputrace::trace
