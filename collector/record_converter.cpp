#include "collector/record_converter.h"

#include <algorithm>

#include "collector/spool_reader.h"

namespace gputrace::collector {

namespace {

using spool::RecordType;
using trace::Table;

constexpr std::size_t kKeptBytes = 256;
constexpr int kOwnName = 0, kGivenName = 1;  // of a thread: the system's, or by NVTX

struct CapturedTable {
  std::uint32_t kind;  // CUpti_ActivityKind
  Table table;
  const char* name;
};
constexpr CapturedTable kTables[] = {
    {10, Table::kernels, "kernels"},
    {1, Table::copies, "copies"},
    {25, Table::copies, "migrations of unified memory"},
    {22, Table::copies, "copies between GPUs"},
    {2, Table::fills, "fills"},
    {38, Table::synchronizations, "synchronizations"},
    {36, Table::cuda_events, "CUDA events"},
    {51, Table::graph_launches, "CUDA graphs"},
    {5, Table::api_calls, "runtime API calls"},
    {4, Table::api_calls, "driver API calls"},
    {17, Table::overheads, "overheads"},
    {8, Table::gpus, "devices"},
    {46, Table::links, "the PCIe topology"},
    {40, Table::links, "NVLinks"},
    {spool::kNvtxKind, Table::nvtx, "NVTX"}};

struct CapturedFileTable {
  std::uint32_t kind;
  trace::FileTable table;
  const char* name;
};
constexpr CapturedFileTable kFileTables[] = {
    {49, trace::FileTable::memory_usage, "memory allocations"},
    {50, trace::FileTable::memory_pools, "memory pools"},
    {20, trace::FileTable::gpu_metrics, "clocks and temperatures"},
    {52, trace::FileTable::jit, "compilations"},
    {39, trace::FileTable::external_correlations, "external correlations"},
    {spool::kPageFaultsKind, trace::FileTable::cpu_page_faults, "page faults on the host"},
    {spool::kPageFaultsKind, trace::FileTable::gpu_page_faults, "page faults on the GPU"}};

std::string base_of_path(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// The launchers' names for a process's place in its job. torchrun's is the narrowest: under Slurm each of its processes has the
// SLURM_PROCID of the one task that started them.
constexpr const char* kRanks[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};

}  // namespace

RecordConverter::RecordConverter(TraceAssembly& assembly, std::int64_t pid, AxisOffsets offsets)
    : assembly_(assembly), writer_(assembly.writer), pid_(pid),
      global_pid_((static_cast<std::uint64_t>(pid) & 0xFFFFFF) << 24), offsets_(offsets),
      pairing_([this](const trace::NvtxRow& row) { add_nvtx(row); }) {}

const std::array<RecordConverter::Convert, 256>& RecordConverter::converters() {
  using C = RecordConverter;
  static const auto table = [] {
    std::array<Convert, 256> all{};
    const auto set = [&](RecordType type, Convert convert) { all[static_cast<std::size_t>(type)] = convert; };
    set(RecordType::text, &C::text), set(RecordType::thread, &C::thread), set(RecordType::thread_name, &C::thread_name);
    set(RecordType::clock, &C::nothing), set(RecordType::setting, &C::setting), set(RecordType::captured, &C::captured);
    set(RecordType::note, &C::note), set(RecordType::shape, &C::shape), set(RecordType::kernel, &C::kernel);
    set(RecordType::copy, &C::copy), set(RecordType::fill, &C::fill);
    set(RecordType::synchronization, &C::synchronization), set(RecordType::cuda_event, &C::cuda_event);
    set(RecordType::graph_launch, &C::graph_launch), set(RecordType::api_call, &C::api_call);
    set(RecordType::overhead, &C::overhead), set(RecordType::device, &C::device), set(RecordType::context, &C::context);
    set(RecordType::stream, &C::stream), set(RecordType::pcie, &C::pcie), set(RecordType::nvlink, &C::nvlink);
    set(RecordType::nvtx_push, &C::nvtx_push), set(RecordType::nvtx_pop, &C::nvtx_pop);
    set(RecordType::nvtx_mark, &C::nvtx_mark), set(RecordType::nvtx_start, &C::nvtx_start);
    set(RecordType::nvtx_end, &C::nvtx_end), set(RecordType::nvtx_domain, &C::nvtx_domain);
    set(RecordType::nvtx_category, &C::nvtx_category);
    set(RecordType::own_time, &C::own_time), set(RecordType::memory_event, &C::memory_event);
    set(RecordType::memory_pool_event, &C::memory_pool_event), set(RecordType::unified_memory, &C::unified_memory);
    set(RecordType::environment, &C::environment), set(RecordType::jit, &C::jit);
    set(RecordType::external_correlation, &C::external_correlation), set(RecordType::nvtx_payload, &C::nvtx_payload);
    set(RecordType::nvtx_schema, &C::nvtx_schema), set(RecordType::nvtx_schema_entry, &C::nvtx_schema_entry);
    set(RecordType::nvtx_enum, &C::nvtx_enum), set(RecordType::nvtx_enum_entry, &C::nvtx_enum_entry);
    return all;
  }();
  return table;
}

bool RecordConverter::convert_block(std::uint32_t lane, std::span<const std::uint8_t> payload) {
  if (lane_ == nullptr || lane != lane_id_) {
    lane_ = &lanes_[lane];
    lane_id_ = lane;
  }
  return for_each_record(payload, [&](const spool::RecordHeader& header, Bytes bytes) {
    const Convert convert = converters()[static_cast<std::size_t>(header.type)];
    if (convert == nullptr) return assembly_.count("spool records of a type that this version does not know");
    // A payload is part of its event, and the recorder's own time is none of the program's.
    assembly_.records += spool::is_event(header.type) && header.type != RecordType::own_time && header.type != RecordType::nvtx_payload;
    (this->*convert)(*lane_, bytes);
  });
}

// -- names and settings --

void RecordConverter::text(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::TextRecord>(bytes);
  const std::uint32_t id = record.header.id;
  const Bytes rest = bytes.subspan(std::min(bytes.size(), sizeof record));
  if (id == 0 || id > lane.texts.size() + 1 || id > kMaxIds || record.piece_bytes > rest.size()) {
    return assembly_.count("spool texts that are damaged");
  }
  if (id == lane.texts.size() + 1) lane.texts.emplace_back();
  Text& text = lane.texts[id - 1];
  if (text.id != 0 || record.offset != text.text.size() || text.text.size() > spool::kMaxTextBytes) {
    return assembly_.count("spool texts that are damaged");
  }
  text.text.append(reinterpret_cast<const char*>(rest.data()), record.piece_bytes);
}

trace::FileStringId RecordConverter::string_of(Lane& lane, std::uint32_t id) {
  if (id == 0) return writer_.intern("");
  if (id > lane.texts.size()) {
    assembly_.count("names that are missing from a spool");
    return writer_.intern("");
  }
  Text& text = lane.texts[id - 1];
  if (text.id == 0) {
    text.id = writer_.intern(text.text);
    if (text.text.size() > kKeptBytes) text.text = {};  // the trace has it now; texts may be many
  }
  return text.id;
}

std::string RecordConverter::text_of(const Lane& lane, std::uint32_t id) const {
  return id != 0 && id <= lane.texts.size() ? lane.texts[id - 1].text : std::string();
}

void RecordConverter::thread(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::ThreadRecord>(bytes);
  lane.global_tid = global_tid(record.header.id);
  if (record.header.flags != spool::kSameThread) pairing_.thread_begins(lane.global_tid);
}

void RecordConverter::thread_name(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::ThreadNameRecord>(bytes);
  const std::string name = text_of(lane, record.text);
  if (!name.empty())
    assembly_.name_thread(global_tid(record.tid), name, record.header.flags != 0 ? kGivenName : kOwnName);
}

void RecordConverter::setting(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::SettingRecord>(bytes);
  const std::string key = text_of(lane, record.key), value = text_of(lane, record.value);
  if (record.header.flags == static_cast<std::uint8_t>(spool::SettingKind::provider)) {
    assembly_.provider[key] = value;
    return;
  }
  if (key == "executable") process_name_ = base_of_path(value);
  if (std::find(std::begin(kRanks), std::end(kRanks), key) != std::end(kRanks)) ranks_[key] = value;
  writer_.capture_setting("PROCESS_" + std::to_string(pid_) + "_" + key, value);
}

void RecordConverter::captured(Lane&, Bytes bytes) {
  const auto record = record_as<spool::CapturedRecord>(bytes);
  for (const CapturedTable& entry : kTables) {
    if (entry.kind != record.header.id) continue;
    if (record.status == 0) writer_.declare(entry.table);
    else assembly_.count(std::string("CUPTI would not record ") + entry.name);
  }
  for (const CapturedFileTable& entry : kFileTables) {
    if (entry.kind != record.header.id) continue;
    if (record.status == 0) writer_.declare(entry.table);
    else assembly_.count(std::string("CUPTI would not record ") + entry.name);
  }
}

void RecordConverter::note(Lane& lane, Bytes bytes) {
  assembly_.note(text_of(lane, record_as<spool::NoteRecord>(bytes).header.id));
}

void RecordConverter::finish(bool begins_let_go) {
  for (const auto& row : waiting_synchronizations_) writer_.add(row);
  for (const auto& row : waiting_events_) writer_.add(row);
  pairing_.finish();
  finish_payloads();
  assembly_.count(begins_let_go ? "NVTX ranges whose begin was let go (record --keep)" : "NVTX range ends without a begin",
                  pairing_.ends_without_begin());
  assembly_.count("NVTX range ends that were dropped: the range ends at the thread's next event",
                  pairing_.begins_without_end());
  for (const char* variable : kRanks) {
    const auto rank = ranks_.find(variable);
    if (rank == ranks_.end()) continue;
    process_name_ += " rank " + rank->second;
    break;
  }
  trace::Process process;
  process.global_pid = global_pid_;
  process.pid = pid_;
  process.name = process_name_;
  writer_.add(process);
}

}  // namespace gputrace::collector
