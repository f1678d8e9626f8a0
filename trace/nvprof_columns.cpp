#include "trace/nvprof_columns.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "trace/csv_fields.h"

namespace gputrace::trace {
namespace {

constexpr std::string_view kTitles[] = {"Start", "Duration", "Grid Size", "Block Size", "Regs*", "SSMem*", "DSMem*",
                                        "Size", "Throughput", "SrcMemType", "DstMemType", "Device", "Context", "Stream",
                                        "Unified Memory", "Virtual Address", "Name"};

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit kTimes[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}};
constexpr Unit kSizes[] = {{"B", 1}, {"KB", 1024}, {"MB", 1048576.0}, {"GB", 1073741824.0}, {"TB", 1099511627776.0}};

template <std::size_t n>
std::optional<std::int64_t> with_unit(std::string_view text, const Unit (&units)[n]) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& known : units) {
    const double value = std::round(number * known.factor);
    if (unit == known.name && std::isfinite(value) && std::abs(value) < 9e18) return static_cast<std::int64_t>(value);
  }
  return std::nullopt;
}

std::string trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(' ');
  if (start == std::string_view::npos) return {};
  return std::string(text.substr(start, text.find_last_not_of(' ') + 1 - start));
}

}  // namespace

std::optional<std::int64_t> nvprof_time_ns(std::string_view text) { return with_unit(text, kTimes); }
std::optional<std::int64_t> nvprof_size_bytes(std::string_view text) { return with_unit(text, kSizes); }

bool NvprofColumns::take_head(std::string_view line) {
  std::vector<std::string> titles;
  split_csv_line(line, titles);
  const bool is_csv = csv_column(titles, "Start") >= 0 && csv_column(titles, "Duration") >= 0 && csv_column(titles, "Name") >= 0;
  if (is_csv) {
    is_csv_ = true, titles_ = std::move(titles), ends_.clear(), units_.assign(titles_.size(), "");
    return true;
  }
  const std::size_t start = line.find_first_not_of(' ');
  if (start == std::string_view::npos || !line.substr(start).starts_with("Start ") || line.find(" Duration ") == std::string_view::npos || !line.ends_with("Name"))
    return false;
  std::vector<std::pair<std::size_t, std::string>> found;  // values stand right-aligned under their titles
  for (const std::string_view title : kTitles) {
    const std::size_t at = title == "Size" ? line.find("  Size ") : line.find(title);
    if (at != std::string_view::npos) found.emplace_back(at + title.size() + (title == "Size" ? 2 : 0), std::string(title));
  }
  std::sort(found.begin(), found.end());
  is_csv_ = false, titles_.clear(), ends_.clear();
  for (auto& [end, title] : found) {
    ends_.push_back(end);
    titles_.push_back(std::move(title));
  }
  return true;
}

bool NvprofColumns::take_units(std::string_view line) {
  std::vector<std::string> units;
  split_csv_line(line, units);
  const bool are_units = is_csv_ && units.size() == titles_.size() && !units[0].empty() && !nvprof_time_ns(units[0] + "s") &&
                         units[0].find_first_of("0123456789") == std::string::npos;
  if (are_units) units_ = std::move(units);
  return are_units;
}

bool NvprofColumns::take_row(std::string_view line) {
  if (is_csv_) {
    split_csv_line(line, values_);
    return values_.size() == titles_.size();
  }
  values_.assign(titles_.size(), "");
  std::size_t begin = 0;
  for (std::size_t i = 0; i + 1 < ends_.size(); ++i) {
    if (ends_[i] > line.size()) return false;
    values_[i] = trimmed(line.substr(begin, ends_[i] - begin));
    if (values_[i] == "-") values_[i].clear();
    begin = ends_[i];
  }
  values_.back() = trimmed(line.substr(begin));
  return !values_.back().empty();
}

int NvprofColumns::column(std::string_view title) const { return csv_column(titles_, title); }
bool NvprofColumns::has(std::string_view title) const { return column(title) >= 0; }

std::string NvprofColumns::value(std::string_view title) const {
  const int at = column(title);
  if (at < 0 || static_cast<std::size_t>(at) >= values_.size()) return {};
  const auto index = static_cast<std::size_t>(at);
  return values_[index].empty() || !is_csv_ ? values_[index] : values_[index] + units_[index];
}

}  // namespace gputrace::trace
