#include "reports/plain_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace gputrace::reports {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Range {
  char32_t first, last;
};

// Unicode 15, East_Asian_Width W and F, in whole blocks; good enough for columns, and small.
constexpr std::array kWide{
    Range{0x1100, 0x115F},   Range{0x231A, 0x231B},   Range{0x2329, 0x232A},   Range{0x23E9, 0x23EC},
    Range{0x2614, 0x2615},   Range{0x26A1, 0x26A1},   Range{0x2705, 0x2705},   Range{0x2728, 0x2728},
    Range{0x274C, 0x274C},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},   Range{0x3400, 0x4DBF},
    Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},   Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},
    Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},
    Range{0x16FE0, 0x18DFF}, Range{0x1B000, 0x1B2FF}, Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF},
    Range{0x1F7E0, 0x1F7EB}, Range{0x1F900, 0x1F9FF}, Range{0x1FA70, 0x1FAFF}, Range{0x20000, 0x3FFFD}};

constexpr std::array kZeroWidth{
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD}, Range{0x0610, 0x061A},
    Range{0x064B, 0x065F}, Range{0x0E31, 0x0E31}, Range{0x0E34, 0x0E3A}, Range{0x0E47, 0x0E4E},
    Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200D}, Range{0x20D0, 0x20FF},
    Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}, Range{0xE0100, 0xE01EF}};

// What moves the cursor, changes the terminal's state, or reorders the line for its reader.
constexpr std::array kUnsafe{
    Range{0x00, 0x1F},     Range{0x7F, 0x9F},     Range{0x061C, 0x061C}, Range{0x200E, 0x200F},
    Range{0x2028, 0x202E}, Range{0x2060, 0x206F}, Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB},
    Range{0xE0000, 0xE007F}};

template <std::size_t n>
bool in(const std::array<Range, n>& ranges, char32_t c) {
  const auto at = std::lower_bound(ranges.begin(), ranges.end(), c,
                                   [](const Range& range, char32_t value) { return range.last < value; });
  return at != ranges.end() && at->first <= c;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

int sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

// Decodes one character at `at` and moves past it; an invalid byte is one replacement character.
char32_t next_character(std::string_view text, std::size_t& at) {
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<unsigned char>(text[at]);
  const int length = sequence_length(lead);
  const std::size_t start = at++;
  if (length == 1) return lead;
  if (length == 0 || start + static_cast<std::size_t>(length) > text.size()) return kReplacement;
  char32_t c = lead & (0xFFu >> (length + 1));
  for (std::size_t i = start + 1; i < start + static_cast<std::size_t>(length); ++i) {
    if (!is_continuation(text[i])) return kReplacement;
    c = c << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
  if (c < kSmallest[static_cast<std::size_t>(length)] || c > 0x10FFFF || surrogate) return kReplacement;
  at = start + static_cast<std::size_t>(length);
  return c;
}

void append(std::string& out, char32_t c) {
  const auto byte = [&out](char32_t value) { out += static_cast<char>(value); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F));
  }
}

int width_of(char32_t c) {
  if (c < 0x300) return 1;
  if (in(kZeroWidth, c)) return 0;
  return in(kWide, c) ? 2 : 1;
}

// The longest start of `text` that takes at most `width` columns, as a count of bytes.
std::size_t bytes_within(std::string_view text, int width) {
  std::size_t at = 0;
  for (int columns = 0; at < text.size();) {
    std::size_t after = at;
    columns += width_of(next_character(text, after));
    if (columns > width) break;
    at = after;
  }
  return at;
}

// Where a line of at most `width` columns ends in `text`, which is longer: behind the last space that fits.
std::size_t line_end(std::string_view text, int width) {
  const std::size_t most = bytes_within(text, width);
  if (most < text.size() && text[most] == ' ') return most;
  const std::size_t space = text.substr(0, most).rfind(' ');
  if (space != std::string_view::npos && space > 0) return space;
  if (most > 0) return most;
  std::size_t one = 0;  // a wide character in a line of one column: too wide beats an endless loop
  next_character(text, one);
  return one;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if (c == '\n' || c == '\t' || c == '\r') {
      out += ' ';
    } else {
      append(out, in(kUnsafe, c) ? kReplacement : c);
    }
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) append(out, next_character(text, at));
  return out;
}

int display_width(std::string_view text) {
  int columns = 0;
  for (std::size_t at = 0; at < text.size();) columns += width_of(next_character(text, at));
  return columns;
}

std::string cut_to_width(std::string_view text, int width) {
  if (bytes_within(text, width) == text.size()) return std::string(text);
  if (width < 1) return "";
  return std::string(text.substr(0, bytes_within(text, width - 1))) + "…";
}

std::string pad_to_width(std::string_view text, int width, Align align) {
  const std::string spaces(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
  return align == Align::left ? std::string(text) + spaces : spaces + std::string(text);
}

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines;
  while (bytes_within(text, width) < text.size()) {
    const std::size_t end = line_end(text, width);
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

}  // namespace gputrace::reports
