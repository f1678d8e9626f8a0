#include "reports/value_groups.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace gputrace::reports {
namespace {

constexpr char kPairSeparator = '\x1f';

struct NamedStatistics {
  std::string name;
  Statistics of;
};

std::vector<NamedStatistics> by_total(const ValueGroups& groups) {
  std::vector<NamedStatistics> all;
  for (const auto& [name, values] : groups) {
    if (!values.empty()) all.push_back({name, statistics(values)});
  }
  // The map is ordered by name, so a stable sort leaves equal totals in that order.
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.of.total > b.of.total; });
  return all;
}

double median_of(std::vector<std::int64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const auto upper = static_cast<double>(*middle);
  if (values.size() % 2 == 1) return upper;
  return (static_cast<double>(*std::max_element(values.begin(), middle)) + upper) / 2;
}

double share_percent(std::int64_t part, double whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / whole : 0;
}

}  // namespace

ValueGroups group_rows(const std::vector<trace::StringId>& ids, const std::function<std::int64_t(std::size_t)>& value,
                       const std::function<std::string(trace::StringId)>& name) {
  ValueGroups groups;
  std::unordered_map<trace::StringId, std::vector<std::int64_t>*> of_id;  // a map's nodes stay where they are
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::vector<std::int64_t>*& group = of_id[ids[i]];
    if (group == nullptr) group = &groups[name(ids[i])];
    group->push_back(value(i));
  }
  return groups;
}

void add_value(ValueGroups& groups, std::string_view name, std::int64_t value) {
  auto at = groups.find(name);
  if (at == groups.end()) at = groups.emplace(std::string(name), std::vector<std::int64_t>{}).first;
  at->second.push_back(value);
}

Statistics statistics(std::vector<std::int64_t> values) {
  Statistics s;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  s.count = static_cast<std::int64_t>(values.size());
  s.min = *least;
  s.max = *most;
  for (const std::int64_t value : values) s.total += value;
  s.mean = static_cast<double>(s.total) / static_cast<double>(s.count);
  double squares = 0;  // around the mean: the sum of plain squares would lose the difference of large values
  for (const std::int64_t value : values) squares += std::pow(static_cast<double>(value) - s.mean, 2);
  if (s.count > 1) s.standard_deviation = std::sqrt(squares / static_cast<double>(s.count - 1));
  s.median = median_of(values);
  return s;
}

SummaryTable time_summary(const ValueGroups& durations_ns, std::int64_t wall_ns, const char* count_header,
                          const char* name_header) {
  SummaryTable table;
  table.columns = {{"Time (%)", Quantity::percent},  {"Total Time (ns)", Quantity::time_ns},
                   {count_header, Quantity::count},  {"Avg (ns)", Quantity::time_ns},
                   {"Med (ns)", Quantity::time_ns},  {"Min (ns)", Quantity::time_ns},
                   {"Max (ns)", Quantity::time_ns},  {"StdDev (ns)", Quantity::time_ns},
                   {"Wall (%)", Quantity::percent},  {name_header, Quantity::text}};
  const auto rows = by_total(durations_ns);
  double total_ns = 0;
  for (const auto& row : rows) total_ns += static_cast<double>(row.of.total);
  for (const auto& [name, of] : rows) {
    table.rows.push_back({share_percent(of.total, total_ns), of.total, of.count, of.mean, of.median, of.min, of.max,
                          of.standard_deviation, share_percent(of.total, static_cast<double>(wall_ns)), name});
  }
  return table;
}

std::string paired(std::string_view first, std::string_view second) {
  return std::string(first) + kPairSeparator + std::string(second);
}

void split_pairs(SummaryTable& table, SummaryColumn first) {
  table.columns.insert(table.columns.end() - 1, std::move(first));
  for (auto& row : table.rows) {
    const std::string both = std::get<std::string>(row.back());
    const std::size_t separator = both.find(kPairSeparator);
    row.back() = both.substr(separator + 1);
    row.insert(row.end() - 1, both.substr(0, separator));
  }
}

SummaryTable size_summary(const ValueGroups& sizes_bytes) {
  SummaryTable table;
  table.columns = {{"Total (MB)", Quantity::megabytes}, {"Count", Quantity::count},
                   {"Avg (MB)", Quantity::megabytes},   {"Med (MB)", Quantity::megabytes},
                   {"Min (MB)", Quantity::megabytes},   {"Max (MB)", Quantity::megabytes},
                   {"StdDev (MB)", Quantity::megabytes}, {"Operation", Quantity::text}};
  const auto mb = [](auto bytes) { return static_cast<double>(bytes) / 1e6; };
  for (const auto& [name, of] : by_total(sizes_bytes)) {
    table.rows.push_back({mb(of.total), of.count, mb(of.mean), mb(of.median), mb(of.min), mb(of.max),
                          mb(of.standard_deviation), name});
  }
  return table;
}

}  // namespace gputrace::reports
