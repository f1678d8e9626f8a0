#include "trace/json_writer.h"

#include <cstdint>

namespace gputrace::trace {
namespace {

// The length of the UTF-8 character at the front; 0 where it is none (overlong forms and surrogates included).
std::size_t character_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto continues = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    const bool is_overlong = first == 0xE0 && byte(1) < 0xA0, is_surrogate = first == 0xED && byte(1) >= 0xA0;
    return is_overlong || is_surrogate ? 0 : 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    const bool is_outside = (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90);
    return is_outside ? 0 : 4;
  }
  return 0;
}

void append_escaped(std::string& out, char c) {
  constexpr char kDigits[] = "0123456789abcdef";
  if (c == '"' || c == '\\') {
    out += '\\';
    out += c;
    return;
  }
  const auto code = static_cast<std::uint8_t>(c);
  out += "\\u00";
  out += kDigits[code >> 4];
  out += kDigits[code & 15];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = character_length(text);
    if (length == 0)
      out += "\\ufffd";
    else if (length == 1 && (c == '"' || c == '\\' || static_cast<std::uint8_t>(c) < 0x20))
      append_escaped(out, c);
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

}  // namespace gputrace::trace
