#include "trace/merge_traces.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "trace/clock_alignment.h"
#include "trace/row_problems.h"
#include "trace/thread_registry.h"
#include "trace/trace_columns.h"

namespace gputrace::trace {
namespace {

bool has_gpu_work(const Trace& trace) { return trace.kernels.size() + trace.copies.size() + trace.fills.size() + trace.graph_launches.size() > 0; }

std::int32_t rank_of(const Trace& trace) {
  if (trace.metadata.rank >= 0) return trace.metadata.rank;
  return rank_in_name(std::filesystem::path(trace.metadata.file).filename().string());
}

std::array<DeviceColumns*, 6> device_tables(Trace& trace) {
  return {&trace.kernels, &trace.copies, &trace.fills, &trace.synchronizations, &trace.cuda_events, &trace.graph_launches};
}

std::set<DeviceId> used_devices(Trace& trace) {
  std::set<DeviceId> devices;
  for (const DeviceColumns* rows : device_tables(trace)) devices.insert(rows->device.begin(), rows->device.end());
  return devices;
}

std::string uuid_of(const Trace& trace, DeviceId device) {
  for (const Gpu& gpu : trace.gpus) {
    if (gpu.device == device) return gpu.uuid;
  }
  return {};
}

// The number of each file's GPUs in the whole.
class GpuNumbers {
 public:
  explicit GpuNumbers(std::vector<Trace>& traces) : numbers_(traces.size()), is_renumbered_(have_shared_number(traces)) {
    std::map<std::string, DeviceId> by_uuid;
    std::int32_t next = 0;
    for (std::size_t file = 0; file < traces.size(); ++file) {
      for (const DeviceId device : used_devices(traces[file])) {
        const std::string uuid = uuid_of(traces[file], device);
        const auto known = by_uuid.find(uuid);
        const bool is_known = !uuid.empty() && known != by_uuid.end();
        const DeviceId number = is_known ? known->second : is_renumbered_ ? DeviceId{next++} : device;
        numbers_[file][device] = number;
        if (!uuid.empty()) by_uuid.emplace(uuid, number);
      }
    }
  }

  bool is_renumbered() const { return is_renumbered_; }
  // None: a GPU that the file lists and does not use, where the numbers of unused ones mean nothing any more.
  std::optional<DeviceId> find(std::size_t file, DeviceId device) const {
    const auto found = numbers_[file].find(device);
    if (found != numbers_[file].end()) return found->second;
    return is_renumbered_ ? std::nullopt : std::optional(device);
  }

 private:
  // Whether one number means different GPUs in two files.
  static bool have_shared_number(std::vector<Trace>& traces) {
    std::map<DeviceId, std::string> seen;
    for (Trace& trace : traces) {
      for (const DeviceId device : used_devices(trace)) {
        const std::string uuid = uuid_of(trace, device);
        const auto [entry, is_new] = seen.try_emplace(device, uuid);
        if (!is_new && (uuid.empty() || entry->second != uuid)) return true;
      }
    }
    return false;
  }

  std::vector<std::map<DeviceId, DeviceId>> numbers_;
  bool is_renumbered_;
};

// Maps every time of a trace; what leaves the range of times stays at its edge.
template <class Map>
void map_times(Trace& trace, Map map) {
  const auto apply = [&map](std::vector<std::int64_t>& times, bool zero_is_none) {
    for (std::int64_t& time_ns : times) {
      if (time_ns == kNoEnd || (zero_is_none && time_ns == 0)) continue;
      time_ns = std::clamp(map(time_ns), -kTimeLimitNs + 1, kTimeLimitNs - 1);
    }
  };
  visit_tables(trace, [&](auto& table) {
    const bool zero_is_none = static_cast<void*>(&table) == static_cast<void*>(&trace.cuda_events);
    apply(table.start_ns, zero_is_none);
    apply(table.end_ns, zero_is_none);
  });
  apply(trace.counters.start_ns, false);
}

// By the wall clock, where both files tell it, then by what the ranks did together.
ClockAlignment align(const Trace& reference, Trace& other) {
  ClockAlignment clock;
  const std::int64_t here = reference.metadata.start_utc_ns, there = other.metadata.start_utc_ns;
  std::int64_t wall_ns = 0;
  if (here != 0 && there != 0 && !__builtin_sub_overflow(there, here, &wall_ns) && wall_ns != 0) {
    clock.offset_ns = std::clamp(wall_ns, -kTimeLimitNs / 2, kTimeLimitNs / 2);
    map_times(other, [&clock](std::int64_t time_ns) { return time_ns + clock.offset_ns; });
  }
  const auto fit = fit_clock(reference, other);
  if (!fit) return clock;
  clock.residual_ns = fit->residual_ns;
  clock.matched = fit->matched;
  map_times(other, [&fit](std::int64_t time_ns) { return fit->to_reference(time_ns); });
  clock.offset_ns += fit->offset_ns;
  clock.drift_ppb = fit->drift_ppb;
  return clock;
}

template <class Id>
void shift_ids(std::vector<Id>& ids, std::int32_t by) {
  for (Id& id : ids) {
    if (id.value >= 0) id.value += by;
  }
}

class Merging {
 public:
  explicit Merging(const GpuNumbers& gpus) : gpus_(gpus) { whole_.captured.set(); }

  void add(std::size_t file, Trace trace, const ClockAlignment& clock) {
    add_metadata(trace);
    if (trace.processes.empty()) give_process(trace);
    const auto processes = static_cast<std::int32_t>(whole_.processes.size()), threads = static_cast<std::int32_t>(whole_.threads.size());
    add_processes(file, trace, processes, clock);
    add_machine(file, trace);
    rename_strings(trace);
    for (DeviceColumns* rows : device_tables(trace)) {
      shift_ids(rows->process, processes);
      for (DeviceId& device : rows->device) device = gpus_.find(file, device).value_or(device);
    }
    for (auto* devices : {&trace.copies.source_device, &trace.copies.destination_device}) {
      for (DeviceId& device : *devices) device = gpus_.find(file, device).value_or(device);
    }
    for (auto* ids : {&trace.api_calls.thread, &trace.overheads.thread, &trace.nvtx.thread}) shift_ids(*ids, threads);
    shift_ids(trace.counters.process, processes);
    for (DeviceId& device : trace.counters.device) {
      if (device.value >= 0) device = gpus_.find(file, device).value_or(DeviceId{-1});
    }
    visit_table_pairs(whole_, trace, [](auto& to, auto& from) { append(to, from); });
    append(whole_.counters, trace.counters);
  }

  Trace finish() {
    if (!has_any_gpu_work_) whole_.captured = any_captured_;
    // Without rows a table that one file lacks may still be one that all others have: op placements, links.
    for (const Table table : {Table::op_placements, Table::links, Table::gpus})
      whole_.captured.set(static_cast<std::size_t>(table), any_captured_.test(static_cast<std::size_t>(table)));
    if (gpus_.is_renumbered())
      diagnostics_["GPUs of different files with one number: all are numbered anew, in the order of ranks"] = static_cast<std::int64_t>(whole_.gpus.size());
    for (const auto& [what, count] : diagnostics_) whole_.diagnostics.push_back({what, count});
    sort_by_start(whole_);
    return std::move(whole_);
  }

 private:
  template <class Rows>
  static void append(Rows& to, Rows& from) {
    std::vector<void*> columns;
    visit_columns(to, [&columns](auto& column) { columns.push_back(&column); });
    std::size_t next = 0;
    visit_columns(from, [&](auto& column) {
      auto& target = *static_cast<std::remove_reference_t<decltype(column)>*>(columns[next++]);
      if (target.empty())
        target = std::move(column);
      else
        target.insert(target.end(), column.begin(), column.end());
      column = {};
    });
  }

  // A file with rows of GPUs alone names no process; as one file of a job it is one all the same.
  static void give_process(Trace& trace) {
    constexpr std::uint64_t kPid = 1;
    const auto tables = device_tables(trace);
    if (std::all_of(tables.begin(), tables.end(), [](const DeviceColumns* rows) { return rows->size() == 0; })) return;
    trace.processes.push_back({.global_pid = kPid << 24, .pid = kPid});
    for (DeviceColumns* rows : tables) rows->process.assign(rows->size(), ProcessIndex{0});
  }

  void add_metadata(const Trace& trace) {
    Metadata& whole = whole_.metadata;
    const Metadata& part = trace.metadata;
    if (files_++ == 0) {
      whole = part;
      whole.rank = -1;
    } else {
      whole.simulated |= part.simulated;
      whole.dropped_records += part.dropped_records;
      if (whole.complete && !part.complete) whole.complete = false, whole.incomplete_why = part.incomplete_why;
      if (whole.producer != part.producer) whole.producer += ", " + part.producer;
    }
    any_captured_ |= trace.captured;
    if (has_gpu_work(trace)) {
      has_any_gpu_work_ = true;
      whole_.captured &= trace.captured;
    }
    for (const Diagnostic& diagnostic : trace.diagnostics) diagnostics_[diagnostic.what] += diagnostic.count;
  }

  // The hardware byte of a global id tells machines apart; here it tells files apart, so that equal pids do not meet.
  void add_processes(std::size_t file, Trace& trace, std::int32_t first, const ClockAlignment& clock) {
    const std::uint64_t machine = static_cast<std::uint64_t>(file & 0xFFFF) << 48;
    const std::int32_t rank = rank_of(trace);
    for (Process& process : trace.processes) {
      process.global_pid = (process.global_pid & 0xFFFFFFFFFFFF) | machine;
      if (rank >= 0 && process.name.find("(rank ") == std::string::npos) process.name += fmt::format("{}(rank {})", process.name.empty() ? "" : " ", rank);
      whole_.clocks.push_back(clock);
      whole_.clocks.back().process = ProcessIndex{static_cast<std::int32_t>(whole_.processes.size())};
      whole_.processes.push_back(std::move(process));
    }
    for (Thread& thread : trace.threads) {
      thread.global_tid = (thread.global_tid & 0xFFFFFFFFFFFF) | machine;
      if (thread.process.value >= 0) thread.process.value += first;
      whole_.threads.push_back(std::move(thread));
    }
  }

  void add_machine(std::size_t file, Trace& trace) {
    for (Gpu& gpu : trace.gpus) {
      const auto number = gpus_.find(file, gpu.device);
      const bool is_listed = number && std::any_of(whole_.gpus.begin(), whole_.gpus.end(), [&](const Gpu& known) { return known.device == *number; });
      if (!number || is_listed) continue;
      gpu.device = *number;
      if (gpu.uuid.empty()) gpu.bus_location.clear();  // of another machine, perhaps: no place in the whole
      whole_.gpus.push_back(std::move(gpu));
    }
    if (!gpus_.is_renumbered() && whole_.links.empty()) whole_.links = std::move(trace.links);  // they name GPUs by number
    for (OpPlacement& placement : trace.op_placements) whole_.op_placements.push_back(std::move(placement));
  }

  void rename_strings(Trace& trace) {
    std::vector<StringId> names(trace.strings.size());
    for (std::uint32_t i = 0; i < names.size(); ++i) names[i] = whole_.strings.intern(trace.strings[StringId{i}]);
    for (auto* ids : {&trace.kernels.name, &trace.kernels.short_name, &trace.kernels.mangled, &trace.api_calls.name, &trace.overheads.name,
                      &trace.nvtx.domain, &trace.nvtx.category, &trace.nvtx.text, &trace.counters.name, &trace.counters.unit}) {
      for (StringId& id : *ids) id = names[id.value];
    }
  }

  const GpuNumbers& gpus_;
  Trace whole_;
  std::map<std::string, std::int64_t> diagnostics_;
  decltype(Trace::captured) any_captured_;
  std::size_t files_ = 0;
  bool has_any_gpu_work_ = false;
};

// The folder where they lie in one, else the first; and how many there are.
std::string name_of_all(const std::vector<Trace>& traces) {
  const std::filesystem::path first = traces.front().metadata.file, folder = first.parent_path();
  const bool is_one_folder = !folder.empty() && std::all_of(traces.begin(), traces.end(), [&folder](const Trace& trace) {
    return std::filesystem::path(trace.metadata.file).parent_path() == folder;
  });
  return is_one_folder ? fmt::format("{} ({} files)", folder.string(), traces.size()) : fmt::format("{} and {} more", first.string(), traces.size() - 1);
}

void say_what_is_off(const std::vector<Trace>& traces, const std::vector<ClockAlignment>& clocks, Trace& whole) {
  std::set<std::int32_t> ranks;
  std::int64_t repeated = 0, unaligned = 0;
  for (const Trace& trace : traces) repeated += rank_of(trace) >= 0 && !ranks.insert(rank_of(trace)).second;
  for (const ClockAlignment& clock : clocks) unaligned += clock.residual_ns < 0;
  if (repeated > 0) whole.diagnostics.push_back({"files of a rank that another file shows too", repeated});
  if (unaligned > 0) whole.diagnostics.push_back({"files whose clock could not be aligned: no collective matches, so nothing is said across them", unaligned});
  const auto residual_ns = whole.clock_residual_ns();
  if (residual_ns && traces.size() > 1)
    whole.diagnostics.push_back({"ns by which the times of two ranks may be off, after aligning their clocks", *residual_ns});
}

}  // namespace

std::int32_t rank_in_name(std::string_view file_name) {
  std::string name(file_name);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const std::string_view word : {"rank", "worker", "local_rank", "gpu"}) {
    for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + 1)) {
      std::size_t digits = at + word.size();
      while (digits < name.size() && (name[digits] == '-' || name[digits] == '_' || name[digits] == ':' || name[digits] == '=')) ++digits;
      std::int32_t rank = -1;
      if (std::from_chars(name.data() + digits, name.data() + name.size(), rank).ec == std::errc{} && rank >= 0) return rank;
    }
  }
  return -1;
}

Trace merge_traces(std::vector<Trace> traces) {
  if (traces.size() == 1) return std::move(traces.front());
  std::stable_sort(traces.begin(), traces.end(), [](const Trace& a, const Trace& b) {
    return static_cast<std::uint32_t>(rank_of(a)) < static_cast<std::uint32_t>(rank_of(b));  // unknown ranks (-1) last
  });
  const GpuNumbers gpus(traces);
  std::vector<ClockAlignment> clocks(traces.size());
  if (!clocks.empty()) clocks.front().residual_ns = 0;
  for (std::size_t file = 1; file < traces.size(); ++file) clocks[file] = align(traces.front(), traces[file]);
  Merging merging(gpus);
  std::vector<Trace> shells(traces.size());  // for what is said of files once their rows are gone
  for (std::size_t file = 0; file < traces.size(); ++file) {
    shells[file].metadata = traces[file].metadata;
    merging.add(file, std::move(traces[file]), clocks[file]);
  }
  Trace whole = merging.finish();
  if (shells.size() > 1) whole.metadata.file = name_of_all(shells);
  say_what_is_off(shells, clocks, whole);
  return whole;
}

}  // namespace gputrace::trace
