// A table of text in a given number of columns. Cells are one_line() text; nothing here escapes.
#pragma once

#include <string>
#include <vector>

#include "reports/plain_text.h"

namespace gputrace::reports {

struct TableColumn {
  std::string header;
  Align align = Align::right;
  int shrink_to = 0;       // above 0: may be cut to so many columns where the table is too wide, further as a last resort
  bool droppable = false;  // left out, the last one first, where cutting to shrink_to is not enough
};

// One line per row, header first, each at most `width` columns wide and without spaces at its end.
// Rows have as many cells as there are columns.
std::vector<std::string> table_lines(std::vector<TableColumn> columns, std::vector<std::vector<std::string>> rows,
                                     int width);

}  // namespace gputrace::reports
