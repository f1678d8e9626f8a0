// What TensorFlow prints with log_device_placement=True: which op runs where, among whatever else the program logs.
#include <string>
#include <unordered_map>

#include "trace/importer.h"
#include "trace/op_placements.h"
#include "trace/placement_line.h"
#include "trace/table_rows.h"
#include "trace/text_file.h"

namespace gputrace::trace {
namespace {

bool is_placement_log(const SniffedFile& file) {
  if (!file.sqlite_tables.empty()) return false;
  for (std::string_view head = file.head; !head.empty();) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    std::string_view line = head.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (parse_placement_line(line) || parse_device_mapping_line(line)) return true;
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return false;
}

// The placer's notes say what was asked for, other lines where the op ran.
void join_requests(std::vector<OpPlacement>& placements) {
  std::unordered_map<std::string, std::string> requested;
  for (const OpPlacement& placement : placements) {
    if (!placement.requested_device.empty()) requested[placement.op_name] = placement.requested_device;
  }
  for (OpPlacement& placement : placements) {
    const auto found = requested.find(placement.op_name);
    if (placement.requested_device.empty() && found != requested.end()) placement.requested_device = found->second;
  }
}

// Every session prints the mapping again.
void add_once(std::vector<Gpu>& gpus, Gpu gpu) {
  for (const Gpu& known : gpus) {
    if (known.device == gpu.device) return;
  }
  gpus.push_back(std::move(gpu));
}

Result<Trace> read_placement_log(const SniffedFile& file, const ReadOptions& options) {
  Trace trace;
  std::vector<OpPlacement> found;
  std::int64_t other_lines = 0;
  const auto done = for_each_line(file, options, trace, [&](std::string_view line) {
    if (auto placement = parse_placement_line(line))
      found.push_back(std::move(*placement));
    else if (auto gpu = parse_device_mapping_line(line))
      add_once(trace.gpus, std::move(*gpu));
    else
      other_lines += !line.empty();
  });
  if (!done) return tl::unexpected(done.error());
  join_requests(found);
  OpPlacements placements{trace};
  for (OpPlacement& placement : found) {
    if (!placement.device.empty()) placements.add(std::move(placement));
  }
  mark_captured(trace, Table::op_placements);
  if (!trace.gpus.empty()) mark_captured(trace, Table::gpus);
  if (other_lines > 0) trace.diagnostics.push_back({"lines of the log that place no op (left out)", other_lines});
  trace.metadata.producer = "TensorFlow placement log";
  return trace;
}

}  // namespace

extern const Importer tensorflow_placement_log;
constinit const Importer tensorflow_placement_log{"TensorFlow placement log", is_placement_log, read_placement_log};

}  // namespace gputrace::trace
