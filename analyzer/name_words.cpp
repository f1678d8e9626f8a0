#include "analyzer/name_words.h"

#include <algorithm>

namespace gputrace::analyzer {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

// Words that every kernel's name has and that say nothing.
bool is_filler(std::string_view word) {
  static constexpr std::string_view kFillers[] = {"kernel", "cuda", "gpu", "impl",   "functor",
                                                  "ops",    "kern", "fn",  "device", "launch"};
  return std::find(std::begin(kFillers), std::end(kFillers), word) != std::end(kFillers);
}

}  // namespace

const Meaning* find_meaning(std::span<const Meaning> table, std::string_view text) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Meaning& row) { return contains(text, row.word); });
  return found == table.end() ? nullptr : &*found;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('_'), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool starts = at == 0 || text[at - 1] == '_';
    const std::size_t end = at + word.size();
    if (starts && (end == text.size() || text[end] == '_')) return true;
  }
  return false;
}

std::string_view tile_in(std::string_view text, std::size_t from) {
  for (std::size_t x = text.find('x', from); x != std::string_view::npos; x = text.find('x', x + 1)) {
    std::size_t begin = x, end = x + 1;
    while (begin > from && is_digit(text[begin - 1])) --begin;
    while (end < text.size() && (is_digit(text[end]) || (text[end] == 'x' && is_digit(text[end - 1])))) ++end;
    if (begin == x || end == x + 1) continue;
    std::string_view tile = text.substr(begin, end - begin);
    while (tile.ends_with('x')) tile.remove_suffix(1);
    return tile;
  }
  return {};
}

std::string_view number_after(std::string_view text, std::string_view prefix) {
  for (std::size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at + 1)) {
    const std::size_t begin = at + prefix.size();
    std::size_t end = begin;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end > begin) return text.substr(begin, end - begin);
  }
  return {};
}

std::string detail(std::string_view what, std::string_view value) {
  return value.empty() ? std::string() : std::string(what) + std::string(value);
}

std::string readable(std::string_view identifier) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < identifier.size(); ++i) {
    const char c = identifier[i];
    const bool next_is_lower = i + 1 < identifier.size() && is_lower(identifier[i + 1]);
    const char before = i > 0 ? identifier[i - 1] : '_';
    const bool starts_word =
        is_upper(c) && (is_lower(before) || ((is_upper(before) || is_digit(before)) && next_is_lower));
    if (c == '_' || starts_word) words.emplace_back();
    if (c != '_') words.back() += lower(c);
  }
  std::string text;
  for (const std::string& word : words) {
    if (word.empty() || is_filler(word)) continue;
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text.empty() ? std::string(identifier) : text;
}

}  // namespace gputrace::analyzer
