#include "reports/text_table.h"

#include <algorithm>
#include <climits>
#include <numeric>

namespace gputrace::reports {
namespace {

constexpr int kGap = 2;
constexpr int kLastResort = 4;

using Rows = std::vector<std::vector<std::string>>;

std::vector<int> natural_widths(const std::vector<TableColumn>& columns, const Rows& rows) {
  std::vector<int> widths;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    int width = display_width(columns[c].header);
    for (const auto& row : rows) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  return widths;
}

int total_width(const std::vector<int>& widths) {
  const int gaps = kGap * std::max(0, static_cast<int>(widths.size()) - 1);
  return std::accumulate(widths.begin(), widths.end(), gaps);
}

// Cuts the columns that may be cut, the widest first, to `most` at least. True where the table then fits.
bool shrink(const std::vector<TableColumn>& columns, std::vector<int>& widths, int width, int most = INT_MAX) {
  for (;;) {
    const int excess = total_width(widths) - width;
    if (excess <= 0) return true;
    std::size_t widest = columns.size();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const bool can = columns[c].shrink_to > 0 && widths[c] > std::min(most, columns[c].shrink_to);
      if (can && (widest == columns.size() || widths[c] > widths[widest])) widest = c;
    }
    if (widest == columns.size()) return false;
    widths[widest] = std::max(std::min(most, columns[widest].shrink_to), widths[widest] - excess);
  }
}

bool drop_one_column(std::vector<TableColumn>& columns, Rows& rows) {
  for (std::size_t c = columns.size(); c-- > 0;) {
    if (!columns[c].droppable) continue;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(c));
    for (auto& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
    return true;
  }
  return false;
}

std::string line_of(const std::vector<TableColumn>& columns, const std::vector<int>& widths,
                    const std::vector<std::string>& cells, int width) {
  std::string line;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (c > 0) line.append(kGap, ' ');
    line += pad_to_width(cut_to_width(cells[c], widths[c]), widths[c], columns[c].align);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return cut_to_width(line, width);
}

}  // namespace

std::vector<std::string> table_lines(std::vector<TableColumn> columns, std::vector<std::vector<std::string>> rows,
                                     int width) {
  std::vector<int> widths = natural_widths(columns, rows);
  while (!shrink(columns, widths, width) && drop_one_column(columns, rows)) widths = natural_widths(columns, rows);
  shrink(columns, widths, width, kLastResort);
  std::vector<std::string> headers;
  for (const TableColumn& column : columns) headers.push_back(column.header);
  std::vector<std::string> lines{line_of(columns, widths, headers, width)};
  for (const auto& row : rows) lines.push_back(line_of(columns, widths, row, width));
  return lines;
}

}  // namespace gputrace::reports
