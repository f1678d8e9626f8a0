#include "reports/text_page.h"

#include <algorithm>

namespace gputrace::reports {
namespace {

constexpr int kNarrowest = 40;
constexpr int kWidest = 1000;
constexpr int kReadableParagraph = 100;  // longer lines lose the eye
constexpr int kIndent = 2;

const char* escape(Ink ink) {
  switch (ink) {
    case Ink::plain: return "";
    case Ink::bold: return "\x1b[1m";
    case Ink::dim: return "\x1b[2m";
    case Ink::red: return "\x1b[1;31m";
    case Ink::yellow: return "\x1b[1;33m";
    case Ink::cyan: return "\x1b[36m";
  }
  return "";
}

}  // namespace

TextPage::TextPage(const FormatOptions& options)
    : width_(std::clamp(options.width, kNarrowest, kWidest)), color_(options.color) {}

std::string TextPage::paint(std::string_view text, Ink ink) const {
  if (!color_ || ink == Ink::plain || text.empty()) return std::string(text);
  return escape(ink) + std::string(text) + "\x1b[0m";
}

void TextPage::blank() { page_ += '\n'; }

void TextPage::line(std::string_view text, Ink ink) { page_ += paint(cut_to_width(text, width_), ink) + '\n'; }

void TextPage::heading(std::string_view text) {
  blank();
  line(text, Ink::bold);
}

void TextPage::paragraph(std::string_view lead, std::string_view text, Ink ink) {
  const int lead_width = display_width(lead);
  std::string before(lead);
  for (const std::string& piece : wrap(text, std::min(width_, kReadableParagraph) - lead_width)) {
    page_ += before + paint(piece, ink) + '\n';
    before.assign(static_cast<std::size_t>(lead_width), ' ');
  }
}

void TextPage::table(std::vector<TableColumn> columns, std::vector<std::vector<std::string>> rows) {
  Ink ink = Ink::dim;
  for (const std::string& row : table_lines(std::move(columns), std::move(rows), width_ - kIndent)) {
    page_ += std::string(kIndent, ' ') + paint(row, ink) + '\n';
    ink = Ink::plain;
  }
}

}  // namespace gputrace::reports
