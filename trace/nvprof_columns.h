// The columns of nvprof's printed trace (--print-gpu-trace, --print-api-trace), as comma-separated values or as aligned text,
// and its numbers with their units.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputrace::trace {

class NvprofColumns {
 public:
  // Whether the line is the table's head, which is then learned; the old one is forgotten.
  bool take_head(std::string_view line);
  // CSV alone: the second line, of units ("ms", "us", "KB"), learned for values(). False where it is none.
  bool take_units(std::string_view line);
  // The values of a row; false where the line has too few. Missing ones ("-") are "".
  bool take_row(std::string_view line);

  bool has_head() const { return !titles_.empty(); }
  bool is_csv() const { return is_csv_; }
  bool has(std::string_view title) const;
  // "" where the table has no such column. Of CSV, with the column's unit behind the number ("1.5" in a column of us: "1.5us").
  std::string value(std::string_view title) const;

 private:
  int column(std::string_view title) const;

  bool is_csv_ = false;
  std::vector<std::string> titles_, units_, values_;
  std::vector<std::size_t> ends_;  // of aligned text: where each column ends; the last has none
};

// "1.2160us", "246.87ms", "3s" as ns; none where it is no time.
std::optional<std::int64_t> nvprof_time_ns(std::string_view text);
// "4B", "1.0000KB" (1,024 bytes), "38.147MB" as bytes, as exact as the digits printed; none where it is no size.
std::optional<std::int64_t> nvprof_size_bytes(std::string_view text);

}  // namespace gputrace::trace
