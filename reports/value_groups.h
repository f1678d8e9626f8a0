// Values grouped by name, and the statistics that a summary shows of each group.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reports/summary.h"

namespace gputrace::reports {

// Groups by the names' text; each value is a duration in ns or a size in bytes, never negative.
using ValueGroups = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

// Row i goes to the group name(ids[i]); a name is asked for once per id, so long names cost nothing per row.
ValueGroups group_rows(const std::vector<trace::StringId>& ids, const std::function<std::int64_t(std::size_t)>& value,
                       const std::function<std::string(trace::StringId)>& name);

void add_value(ValueGroups& groups, std::string_view name, std::int64_t value);

struct Statistics {
  std::int64_t count = 0, total = 0, min = 0, max = 0;
  double mean = 0;
  double median = 0;              // the mean of the middle two where the count is even
  double standard_deviation = 0;  // of a sample (n - 1), as `nsys stats` gives it; 0 for one value
};

// Of at least one value.
Statistics statistics(std::vector<std::int64_t> values);

// Time (%), Total Time (ns), <count_header>, Avg, Med, Min, Max, StdDev, Wall (%), <name_header>.
// Time (%) is the share of all rows' total, Wall (%) of wall_ns: it can exceed 100 where rows run side by side.
SummaryTable time_summary(const ValueGroups& durations_ns, std::int64_t wall_ns, const char* count_header,
                          const char* name_header);

// A group of two names, and a table of such groups with both as columns: "PushPop" and ":forward".
std::string paired(std::string_view first, std::string_view second);
void split_pairs(SummaryTable& table, SummaryColumn first);  // of the last column; `first` goes before it

// Total (MB), Count, Avg (MB), Med (MB), Min (MB), Max (MB), StdDev (MB), Operation.
SummaryTable size_summary(const ValueGroups& sizes_bytes);

}  // namespace gputrace::reports
