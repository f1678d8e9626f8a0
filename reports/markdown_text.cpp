#include "reports/markdown_text.h"

#include <algorithm>

#include "reports/plain_text.h"

namespace gputrace::reports::markdown_text {
namespace {

constexpr int kNameCharacters = 200;  // an issue has a limit of 65,536 characters
constexpr int kTextCharacters = 2000;

constexpr std::string_view kNothing = "<!-- -->";

void break_up(std::string& text, std::string_view what, std::size_t after) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) {
    text.insert(at + after, kNothing);
  }
}

std::string table_row(const Cells& cells) {
  std::string line = "|";
  for (const auto& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

}  // namespace

std::string prose(std::string_view text) {
  static constexpr std::string_view kMarkup = "\\`*_[]<>|~$&";
  std::string out;
  for (const char c : cut_to_width(one_line(text), kTextCharacters)) {
    if (kMarkup.find(c) != std::string_view::npos) out += '\\';
    out += c;
    if (c == '@' || c == '#') out += kNothing;
  }
  break_up(out, "://", 1);
  break_up(out, "www.", 3);
  return out;
}

std::string code(std::string_view text) {
  const std::string inside = cut_to_width(one_line(text), kNameCharacters);
  std::size_t longest = 0, run = 0;
  std::string cell;
  for (const char c : inside) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    cell += c == '|' ? "\\|" : std::string(1, c);
  }
  if (longest == 0) return "`" + (cell.empty() ? " " : cell) + "`";
  const std::string fence(longest + 1, '`');
  return fence + " " + cell + " " + fence;
}

std::string table(const Cells& headers, const std::vector<Cells>& rows) {
  Cells rules(headers.size(), "---:");
  rules.front() = "---";
  std::string out = "\n" + table_row(headers) + table_row(rules);
  for (const auto& row : rows) out += table_row(row);
  return out;
}

}  // namespace gputrace::reports::markdown_text
