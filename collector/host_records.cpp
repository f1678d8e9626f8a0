// What host threads did.
#include "collector/record_converter.h"

#include "collector/cupti_kinds.h"
#include "collector/spool_reader.h"

namespace gputrace::collector {

namespace {

struct OverheadName {
  std::uint32_t cupti;  // CUpti_ActivityOverheadKind
  trace::OverheadKind kind;
  const char* name;
};
constexpr OverheadName kOverheads[] = {
    {1, trace::OverheadKind::driver_jit, "Driver compiler"},
    {1 << 16, trace::OverheadKind::buffer_flush, "CUPTI buffer flush"},
    {2 << 16, trace::OverheadKind::instrumentation, "CUPTI instrumentation"},
    {3 << 16, trace::OverheadKind::resource, "CUPTI resource creation"},
    {4 << 16, trace::OverheadKind::module_load, "Module loading"},
    {5 << 16, trace::OverheadKind::lazy_function_load, "Lazy function loading"},
    {6 << 16, trace::OverheadKind::command_buffer_full, "Command buffer full"},
    {7 << 16, trace::OverheadKind::unknown, "CUPTI buffer request"},
    {8 << 16, trace::OverheadKind::unknown, "Unified memory profiling start"}};

const char* name_of(std::uint32_t own_work) {  // spool::OwnWork
  switch (static_cast<spool::OwnWork>(own_work)) {
    case spool::OwnWork::buffer: return "gputrace: encoding of a CUPTI buffer";
    case spool::OwnWork::flush: return "gputrace: flush of CUPTI";
    case spool::OwnWork::writing: return "gputrace: writing of the spool";
  }
  return "gputrace";
}

}  // namespace

void RecordConverter::api_call(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::ApiCallRecord>(bytes);
  if (record.start_ns == 0 || record.end_ns < record.start_ns)
    return assembly_.count("API calls for which CUPTI gave no time");
  trace::ApiCallRow row;
  row.start_ns = moved_by(static_cast<std::int64_t>(record.start_ns), offsets_.cupti_ns);
  row.end_ns = moved_by(static_cast<std::int64_t>(record.end_ns), offsets_.cupti_ns);
  row.correlation = record.header.id;
  row.global_tid = global_tid(record.tid);
  row.name = string_of(lane, record.name);
  row.api_class = record.header.flags & spool::kDriver ? trace::ApiClass::driver : trace::ApiClass::runtime;
  row.return_value = static_cast<std::int32_t>(record.return_value);
  writer_.add(row);
}

void RecordConverter::overhead(Lane&, Bytes bytes) {
  const auto record = record_as<spool::OverheadRecord>(bytes);
  if (record.start_ns == 0 || record.end_ns < record.start_ns)
    return assembly_.count("overheads for which CUPTI gave no time");
  trace::OverheadRow row;
  row.start_ns = moved_by(static_cast<std::int64_t>(record.start_ns), offsets_.cupti_ns);
  row.end_ns = moved_by(static_cast<std::int64_t>(record.end_ns), offsets_.cupti_ns);
  row.correlation = record.header.id;
  row.global_tid = global_tid(record.tid);
  const char* name = "Unknown";
  for (const OverheadName& entry : kOverheads) {
    if (entry.cupti != record.kind) continue;
    row.kind = entry.kind;
    name = entry.name;
  }
  row.name = writer_.intern(name);
  writer_.add(row);
}

void RecordConverter::own_time(Lane&, Bytes bytes) {
  const auto record = record_as<spool::OwnTimeRecord>(bytes);
  if (record.end_ns < record.start_ns) return assembly_.count("times of the recorder itself that end before they start");
  const std::int64_t offset_ns = record.header.flags & spool::kRealtime ? offsets_.realtime_ns : offsets_.cupti_ns;
  trace::OverheadRow row;
  row.start_ns = moved_by(record.start_ns, offset_ns);
  row.end_ns = moved_by(record.end_ns, offset_ns);
  row.global_tid = global_tid(record.tid);
  row.kind = trace::OverheadKind::buffer_flush;
  row.name = writer_.intern(name_of(record.header.id));
  row.of_recorder = true;
  writer_.add(row);
}

void RecordConverter::jit(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::JitRecord>(bytes);
  if (record.start_ns == 0 || record.end_ns < record.start_ns) return assembly_.count("compilations for which CUPTI gave no time");
  trace::JitRow row;
  row.start_ns = cupti_time(record.start_ns);
  row.end_ns = cupti_time(record.end_ns);
  row.correlation = record.header.id;
  row.global_tid = global_tid(record.tid);
  row.device = static_cast<std::int32_t>(record.device);
  row.operation = record.header.flags;
  row.entry = record.entry;
  row.cache_bytes = static_cast<std::int64_t>(record.cache_bytes);
  row.cache_path = string_of(lane, record.path);
  writer_.add(row);
}

void RecordConverter::external_correlation(Lane&, Bytes bytes) {
  const auto record = record_as<spool::ExternalCorrelationRecord>(bytes);
  writer_.add(trace::ExternalCorrelationRow{.correlation = record.header.id, .external_kind = record.header.flags,
                                            .external_id = static_cast<std::int64_t>(record.external_id),
                                            .global_pid = global_pid_});
}

}  // namespace gputrace::collector
