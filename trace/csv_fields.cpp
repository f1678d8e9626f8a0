#include "trace/csv_fields.h"

#include <algorithm>

namespace gputrace::trace {

void split_csv_line(std::string_view line, std::vector<std::string>& fields) {
  std::size_t count = 0;
  bool is_quoted = false;
  const auto next_field = [&]() -> std::string& {
    if (count == fields.size()) fields.emplace_back();
    fields[count].clear();
    return fields[count++];
  };
  std::string* field = &next_field();
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      *field += line[++i];
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      field = &next_field();
    } else {
      *field += c;
    }
  }
  fields.resize(count);
}

int csv_column(const std::vector<std::string>& titles, std::string_view title) {
  const auto found = std::find(titles.begin(), titles.end(), title);
  return found == titles.end() ? -1 : static_cast<int>(found - titles.begin());
}

}  // namespace gputrace::trace
