// Every kernel, copy and fill, by start time.
#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "reports/memory_operations.h"
#include "reports/summary.h"

namespace gputrace::reports {
namespace {

using trace::Trace;
using Row = std::vector<SummaryCell>;

const std::vector<SummaryColumn> kColumns{{"Start (ns)", Quantity::time_ns},
                                          {"Duration (ns)", Quantity::time_ns},
                                          {"CorrId", Quantity::identifier},
                                          {"GrdX", Quantity::identifier},
                                          {"GrdY", Quantity::identifier},
                                          {"GrdZ", Quantity::identifier},
                                          {"BlkX", Quantity::identifier},
                                          {"BlkY", Quantity::identifier},
                                          {"BlkZ", Quantity::identifier},
                                          {"Reg/Trd", Quantity::identifier},
                                          {"StcSMem (MB)", Quantity::megabytes},
                                          {"DymSMem (MB)", Quantity::megabytes},
                                          {"Bytes (MB)", Quantity::megabytes},
                                          {"Throughput (MB/s)", Quantity::megabytes_per_s},
                                          {"SrcMemKd", Quantity::text},
                                          {"DstMemKd", Quantity::text},
                                          {"Device", Quantity::text},
                                          {"Ctx", Quantity::identifier},
                                          {"Strm", Quantity::identifier},
                                          {"Name", Quantity::text},
                                          {"Label", Quantity::text}};

std::int64_t integer(std::int32_t value) { return value; }
double mb(std::int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

std::string device_name(const Trace& trace, trace::DeviceId id) {
  const auto gpu =
      std::find_if(trace.gpus.begin(), trace.gpus.end(), [=](const auto& one) { return one.device == id; });
  const std::string number = std::to_string(id.value);
  return gpu == trace.gpus.end() || gpu->name.empty() ? number : gpu->name + " (" + number + ")";
}

// The cells that every activity has; the others do not apply until they are set.
Row row_of(const Trace& trace, const trace::DeviceColumns& columns, std::size_t i, std::string name) {
  Row row(kColumns.size(), std::monostate{});
  row[0] = columns.start_ns[i];
  row[1] = columns.span(i).duration_ns();
  row[2] = columns.correlation[i].value;
  row[16] = device_name(trace, columns.device[i]);
  row[17] = integer(columns.context[i].value);
  row[18] = integer(columns.stream[i].value);
  row[19] = std::move(name);
  return row;
}

void set_dimensions(Row& row, std::size_t first, const trace::Dim3& size) {
  row[first] = integer(size.x);
  row[first + 1] = integer(size.y);
  row[first + 2] = integer(size.z);
}

void set_bytes(Row& row, std::int64_t bytes, std::int64_t duration_ns) {
  if (bytes <= 0) return;  // not captured
  row[12] = mb(bytes);
  if (duration_ns > 0)
    row[13] = static_cast<double>(bytes) / static_cast<double>(duration_ns) * 1e3;  // B/ns is GB/s
}

std::string memory(trace::MemoryKind kind) { return trace::name(kind); }

void add_rows(const Trace& trace, analyzer::Explainer& explainer, std::vector<Row>& rows) {
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    const trace::Kernels& kernels = trace.kernels;
    Row& row = rows.emplace_back(row_of(trace, kernels, i, std::string(trace.text(kernels.name[i]))));
    set_dimensions(row, 3, kernels.grid[i]);
    set_dimensions(row, 6, kernels.block[i]);
    row[20] = explainer.explain(trace.text(kernels.name[i])).label;
    row[9] = integer(kernels.registers_per_thread[i]);
    row[10] = mb(kernels.static_shared_bytes[i]);
    row[11] = mb(kernels.dynamic_shared_bytes[i]);
  }
  for (std::size_t i = 0; i < trace.copies.size(); ++i) {
    const trace::Copies& copies = trace.copies;
    Row& row = rows.emplace_back(row_of(trace, copies, i, memory_operation_name(copies.kind[i])));
    set_bytes(row, copies.bytes[i], copies.span(i).duration_ns());
    row[14] = memory(copies.source_memory[i]);
    row[15] = memory(copies.destination_memory[i]);
  }
  for (std::size_t i = 0; i < trace.fills.size(); ++i) {
    Row& row = rows.emplace_back(row_of(trace, trace.fills, i, fill_name()));
    set_bytes(row, trace.fills.bytes[i], trace.fills.span(i).duration_ns());
    row[15] = memory(trace.fills.memory[i]);
  }
}

SummaryTable make(const Trace& trace, analyzer::Explainer& explainer) {
  if (!trace.has(trace::Table::kernels) && !has_memory_operations(trace)) {
    return {.columns = {}, .rows = {}, .missing = "no kernels, copies or fills in the trace"};
  }
  SummaryTable table{.columns = kColumns, .rows = {}, .missing = ""};
  add_rows(trace, explainer, table.rows);
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const Row& a, const Row& b) {
    return std::get<std::int64_t>(a[0]) < std::get<std::int64_t>(b[0]);
  });
  return table;
}

}  // namespace

extern const Summary cuda_gpu_trace{"cuda_gpu_trace", "trace", "CUDA GPU activities, one by one", make,
                                    /*on_request=*/true, "gputrace"};

}  // namespace gputrace::reports
