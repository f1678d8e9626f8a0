#include <cmath>

#include "trace/nsys_read.h"

namespace gputrace::trace {

Result<void> read_counters(NsysRead& read) {
  static constexpr std::string_view kColumns[] = {"start", "globalPid", "deviceId", "nameId", "unitId", "value"};
  enum Column { kStart, kProcess, kDevice, kName, kUnit, kValue };
  Counters& counters = read.trace.counters;
  RowProblems problems{"counter rows"};
  const auto done = for_each_row(read, "GPUTRACE_COUNTER", kColumns, [&](const TableCursor& cursor) {
    const RowValues row{cursor, problems};
    if (!cursor.is_integer(kStart) || !cursor.is_number(kValue) || !std::isfinite(cursor.number(kValue))) return problems.count(RowProblem::wrong_type);
    const std::int64_t start_ns = cursor.integer(kStart);
    if (start_ns <= -kTimeLimitNs || start_ns >= kTimeLimitNs) return problems.count(RowProblem::time_out_of_range);
    counters.start_ns.push_back(start_ns);
    counters.name.push_back(row.string(kName, read.strings));
    counters.unit.push_back(row.string(kUnit, read.strings));
    counters.process.push_back(cursor.is_null(kProcess) ? ProcessIndex{-1} : read.threads.process(static_cast<std::uint64_t>(row.integer(kProcess))));
    counters.device.push_back(DeviceId{row.int32(kDevice, -1)});
    counters.value.push_back(cursor.number(kValue));
  });
  problems.report(read.trace.diagnostics);
  return done;
}

}  // namespace gputrace::trace
