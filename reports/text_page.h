// The page that the text report is written on: paragraphs, headings and tables in a number of columns, in colour or not.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/format.h"
#include "reports/text_table.h"

namespace gputrace::reports {

enum class Ink { plain, bold, dim, red, yellow, cyan };

class TextPage {
 public:
  explicit TextPage(const FormatOptions& options);

  int width() const { return width_; }

  void heading(std::string_view text);
  void line(std::string_view text, Ink ink = Ink::plain);  // cut to the width
  void blank();
  // Wrapped; lines after the first stand under the text, behind the lead ("  - ").
  void paragraph(std::string_view lead, std::string_view text, Ink ink = Ink::plain);
  void table(std::vector<TableColumn> columns, std::vector<std::vector<std::string>> rows);

  std::string take() { return std::move(page_); }

 private:
  std::string paint(std::string_view text, Ink ink) const;  // unchanged without colour

  int width_;
  bool color_;
  std::string page_;
};

}  // namespace gputrace::reports
