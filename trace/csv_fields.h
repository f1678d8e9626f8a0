// The fields of one line of comma-separated values, quoted or not; a doubled quote inside quotes is one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gputrace::trace {

// Into `fields`, whose strings are used again.
void split_csv_line(std::string_view line, std::vector<std::string>& fields);

// The column of that title, or -1.
int csv_column(const std::vector<std::string>& titles, std::string_view title);

}  // namespace gputrace::trace
