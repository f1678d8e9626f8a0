#include "collector/record_converter.h"

#include <algorithm>
#include <bit>

#include "collector/spool_reader.h"

namespace gputrace::collector {

namespace {

using spool::RecordType;
using trace::Table;

constexpr std::uint32_t kMaxIds = 1 << 24;  // per lane; more is damage
constexpr std::size_t kKeptBytes = 256;
constexpr int kOwnName = 0, kGivenName = 1;  // of a thread: the system's, or by NVTX

// CUPTI numbers memory from 1 pageable, the export from 0 pageable with 7 unknown.
trace::MemoryKind memory_kind(std::uint64_t cupti) {
  return cupti >= 1 && cupti <= 7 ? static_cast<trace::MemoryKind>(cupti - 1) : trace::MemoryKind::unknown;
}

trace::CopyKind copy_kind(std::uint8_t cupti) {
  return cupti <= 10 ? static_cast<trace::CopyKind>(cupti) : trace::CopyKind::unknown;
}

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

struct CapturedTable {
  std::uint32_t kind;  // CUpti_ActivityKind
  Table table;
  const char* name;
};
constexpr CapturedTable kTables[] = {
    {10, Table::kernels, "kernels"},
    {1, Table::copies, "copies"},
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

trace::Dim3 dim3(const std::int32_t (&dim)[3]) { return {dim[0], dim[1], dim[2]}; }

std::string base_of_path(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// The launchers' names for a process's place in its job. torchrun's is the narrowest: under Slurm each of its processes has the
// SLURM_PROCID of the one task that started them.
constexpr const char* kRanks[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};

template <class T>
std::optional<std::int64_t> unless_zero(T value) {
  return value != 0 ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
}

}  // namespace

RecordConverter::RecordConverter(TraceAssembly& assembly, std::int64_t pid, AxisOffsets offsets)
    : assembly_(assembly), writer_(assembly.writer), pid_(pid),
      global_pid_((static_cast<std::uint64_t>(pid) & 0xFFFFFF) << 24), offsets_(offsets),
      pairing_([this](const trace::NvtxRow& row) { writer_.add(row); }) {}

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
    assembly_.records += spool::is_event(header.type);
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
}

void RecordConverter::note(Lane& lane, Bytes bytes) {
  assembly_.note(text_of(lane, record_as<spool::NoteRecord>(bytes).header.id));
}

// -- work on the GPU --

bool RecordConverter::set_queue(trace::DeviceRow& row, std::uint64_t start_ns, std::uint64_t end_ns,
                                const spool::Queue& queue, std::uint32_t correlation) {
  if (start_ns == 0 || end_ns < start_ns) {
    assembly_.count("GPU activities for which CUPTI gave no time");
    return false;
  }
  row.start_ns = static_cast<std::int64_t>(start_ns) + offsets_.cupti_ns;
  row.end_ns = static_cast<std::int64_t>(end_ns) + offsets_.cupti_ns;
  row.device = static_cast<std::int32_t>(queue.device);
  row.context = static_cast<std::int32_t>(queue.context);
  row.stream = static_cast<std::int32_t>(queue.stream);
  row.correlation = correlation;
  row.global_pid = global_pid_;
  return true;
}

void RecordConverter::shape(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::ShapeRecord>(bytes);
  if (record.header.id != lane.shapes.size() + 1 || record.header.id > kMaxIds) {
    return assembly_.count("spool launch shapes that are damaged");
  }
  const KernelNameIds names = assembly_.kernel_name(text_of(lane, record.name));
  trace::KernelRow& row = lane.shapes.emplace_back();
  row.device = static_cast<std::int32_t>(record.device);
  row.context = static_cast<std::int32_t>(record.context);
  row.stream = static_cast<std::int32_t>(record.stream);
  row.global_pid = global_pid_;
  row.name = names.name;
  row.short_name = names.short_name;
  row.mangled = names.mangled;
  row.grid = dim3(record.grid);
  row.block = dim3(record.block);
  row.registers_per_thread = static_cast<std::int32_t>(record.registers_per_thread);
  row.static_shared_bytes = record.static_shared_bytes;
  row.dynamic_shared_bytes = record.dynamic_shared_bytes;
  row.local_bytes_per_thread = static_cast<std::int32_t>(record.local_bytes_per_thread);
  row.local_bytes_total = static_cast<std::int64_t>(record.local_bytes_total);
  row.launch_type = record.launch_type + 1;  // CUPTI counts from 0 regular, the export from 1
  row.cache_config = record.cache_config;
  row.shared_bytes_executed = static_cast<std::int32_t>(record.shared_bytes_executed);
  row.graph = unless_zero(record.graph);
  row.cluster = {static_cast<std::int32_t>(record.cluster[0]), static_cast<std::int32_t>(record.cluster[1]),
                 static_cast<std::int32_t>(record.cluster[2])};
}

void RecordConverter::kernel(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::KernelRecord>(bytes);
  if (record.header.id == 0 || record.header.id > lane.shapes.size()) {
    return assembly_.count("kernels whose launch shape is missing from a spool");
  }
  trace::KernelRow& row = lane.shapes[record.header.id - 1];
  const std::uint64_t end_ns = record.end_ns != 0 ? record.end_ns : record.start_ns + record.duration_ns;
  const spool::Queue queue{static_cast<std::uint32_t>(row.device), static_cast<std::uint32_t>(row.context),
                           static_cast<std::uint32_t>(row.stream)};
  if (!set_queue(row, record.start_ns, end_ns, queue, record.correlation)) return;
  row.grid_id = record.grid_id;
  row.graph_node = unless_zero(record.graph_node);
  writer_.add(row);
}

void RecordConverter::copy(Lane&, Bytes bytes) {
  const auto record = record_as<spool::CopyRecord>(bytes);
  trace::CopyRow row;
  if (!set_queue(row, record.start_ns, record.end_ns, record.queue, record.header.id)) return;
  row.bytes = static_cast<std::int64_t>(record.bytes);
  row.kind = copy_kind(record.kind);
  row.source_memory = memory_kind(record.source_memory);
  row.destination_memory = memory_kind(record.destination_memory);
  row.graph_node = unless_zero(record.graph_node);
  if (record.peer != 0) {
    row.source_device = static_cast<std::int32_t>(record.source_device);
    row.source_context = static_cast<std::int32_t>(record.source_context);
    row.destination_device = static_cast<std::int32_t>(record.destination_device);
    row.destination_context = static_cast<std::int32_t>(record.destination_context);
  }
  writer_.add(row);
}

void RecordConverter::fill(Lane&, Bytes bytes) {
  const auto record = record_as<spool::FillRecord>(bytes);
  trace::FillRow row;
  if (!set_queue(row, record.start_ns, record.end_ns, record.queue, record.header.id)) return;
  row.bytes = static_cast<std::int64_t>(record.bytes);
  row.value = record.value;
  row.memory = memory_kind(record.memory);
  row.graph_node = unless_zero(record.graph_node);
  writer_.add(row);
}

template <class Row>
void RecordConverter::add_when_device_known(std::vector<Row>& waiting, Row row) {
  const auto found = device_of_context_.find(row.context);
  if (found == device_of_context_.end()) return void(waiting.push_back(row));
  row.device = found->second;
  writer_.add(row);
}

void RecordConverter::synchronization(Lane&, Bytes bytes) {
  const auto record = record_as<spool::SynchronizationRecord>(bytes);
  trace::SynchronizationRow row;
  if (!set_queue(row, record.start_ns, record.end_ns, {0, record.context, record.stream}, record.header.id)) return;
  row.kind = record.type <= 4 ? static_cast<trace::SyncKind>(record.type) : trace::SyncKind::unknown;
  row.event = record.event == UINT32_MAX ? 0 : record.event;  // CUPTI_SYNCHRONIZATION_INVALID_VALUE
  row.event_sync = unless_zero(record.event_sync);
  add_when_device_known(waiting_synchronizations_, row);
}

void RecordConverter::cuda_event(Lane&, Bytes bytes) {
  const auto record = record_as<spool::CudaEventRecord>(bytes);
  trace::CudaEventRow row;
  const bool timed = record.timestamp_ns != 0;
  set_queue(row, timed ? record.timestamp_ns : 1, timed ? record.timestamp_ns : 1, record.queue, record.header.id);
  if (!timed) row.start_ns = row.end_ns = 0;
  row.event = record.event;
  row.event_sync = unless_zero(record.event_sync);
  if (record.header.flags & spool::kHasDevice) writer_.add(row);
  else add_when_device_known(waiting_events_, row);
}

void RecordConverter::graph_launch(Lane&, Bytes bytes) {
  const auto record = record_as<spool::GraphLaunchRecord>(bytes);
  trace::GraphLaunchRow row;
  if (!set_queue(row, record.start_ns, record.end_ns, record.queue, record.header.id)) return;
  row.graph = record.graph;
  row.graph_exec = record.graph;  // CUPTI gives one id
  writer_.add(row);
}

// -- the host --

void RecordConverter::api_call(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::ApiCallRecord>(bytes);
  if (record.start_ns == 0 || record.end_ns < record.start_ns)
    return assembly_.count("API calls for which CUPTI gave no time");
  trace::ApiCallRow row;
  row.start_ns = static_cast<std::int64_t>(record.start_ns) + offsets_.cupti_ns;
  row.end_ns = static_cast<std::int64_t>(record.end_ns) + offsets_.cupti_ns;
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
  row.start_ns = static_cast<std::int64_t>(record.start_ns) + offsets_.cupti_ns;
  row.end_ns = static_cast<std::int64_t>(record.end_ns) + offsets_.cupti_ns;
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

// -- the machine --

void RecordConverter::device(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::DeviceRecord>(bytes);
  Uuid uuid;
  std::copy(std::begin(record.uuid), std::end(record.uuid), uuid.begin());
  assembly_.topology.add_gpu(record.header.id, uuid);
  trace::Gpu gpu;
  gpu.device = {static_cast<std::int32_t>(record.header.id)};
  gpu.name = text_of(lane, record.name);
  gpu.uuid = uuid_text(uuid);
  gpu.sm_count = static_cast<std::int32_t>(record.sm_count);
  gpu.compute_major = static_cast<std::int32_t>(record.compute_major);
  gpu.compute_minor = static_cast<std::int32_t>(record.compute_minor);
  gpu.clock_hz = std::int64_t{record.clock_khz} * 1000;
  gpu.memory_bandwidth_bytes_per_s = static_cast<std::int64_t>(record.bandwidth_kb_per_s & INT32_MAX) * 1000;
  gpu.memory_bytes = static_cast<std::int64_t>(record.memory_bytes);
  gpu.max_threads_per_sm = static_cast<std::int32_t>(record.max_warps_per_sm * record.threads_per_warp);
  gpu.max_blocks_per_sm = static_cast<std::int32_t>(record.max_blocks_per_sm);
  gpu.registers_per_sm = static_cast<std::int32_t>(record.registers_per_sm);
  gpu.shared_bytes_per_sm = record.shared_bytes_per_sm;
  gpu.copy_engines = static_cast<std::int32_t>(record.copy_engines);
  assembly_.add_gpu(pid_, std::move(gpu));
}

void RecordConverter::context(Lane&, Bytes bytes) {
  const auto record = record_as<spool::ContextRecord>(bytes);
  trace::ContextRow row;
  row.context = static_cast<std::int32_t>(record.header.id);
  row.device = static_cast<std::int32_t>(record.device);
  row.null_stream = static_cast<std::int32_t>(record.null_stream);
  row.pid = pid_;
  if (device_of_context_.try_emplace(row.context, row.device).second) writer_.add(row);
}

void RecordConverter::stream(Lane&, Bytes bytes) {
  const auto record = record_as<spool::StreamRecord>(bytes);
  trace::StreamRow row;
  row.context = static_cast<std::int32_t>(record.context);
  row.stream = static_cast<std::int32_t>(record.header.id);
  row.priority = static_cast<std::int32_t>(record.priority);
  row.flag = static_cast<std::int32_t>(record.flag);
  row.pid = pid_;
  writer_.add(row);
}

void RecordConverter::pcie(Lane&, Bytes bytes) { assembly_.topology.add(record_as<spool::PcieRecord>(bytes)); }
void RecordConverter::nvlink(Lane&, Bytes bytes) { assembly_.topology.add(record_as<spool::NvlinkRecord>(bytes)); }

// -- NVTX --

std::int64_t RecordConverter::nvtx_time(const spool::NvtxRecord& record) const {
  return record.time_ns + (record.header.flags & spool::kRealtime ? offsets_.realtime_ns : offsets_.cupti_ns);
}

trace::NvtxRow RecordConverter::nvtx_row(Lane& lane, const spool::NvtxRecord& record, trace::NvtxKind kind) {
  trace::NvtxRow row;
  row.start_ns = nvtx_time(record);
  row.kind = kind;
  row.global_tid = lane.global_tid;
  row.domain = record.domain;
  row.category = record.category;
  row.range_id = static_cast<std::int64_t>(record.range);
  if (record.header.flags & spool::kHasColor) row.color_argb = record.color_argb;
  if (record.header.id != 0) row.text = string_of(lane, record.header.id);
  switch (record.payload_type) {  // nvtxPayloadType_t
    case 1: case 2: row.int64_value = static_cast<std::int64_t>(record.payload); break;
    case 3: row.double_value = std::bit_cast<double>(record.payload); break;
    case 4: row.int64_value = static_cast<std::uint32_t>(record.payload); break;
    case 5: row.int64_value = static_cast<std::int32_t>(record.payload); break;
    case 6: row.double_value = std::bit_cast<float>(static_cast<std::uint32_t>(record.payload)); break;
    default: break;
  }
  return row;
}

void RecordConverter::nvtx_push(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::NvtxRecord>(bytes);
  pairing_.push(nvtx_row(lane, record, trace::NvtxKind::push_pop), record.level);
}

void RecordConverter::nvtx_pop(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::NvtxRecord>(bytes);
  pairing_.pop(lane.global_tid, record.domain, record.level, nvtx_time(record));
}

void RecordConverter::nvtx_mark(Lane& lane, Bytes bytes) {
  writer_.add(nvtx_row(lane, record_as<spool::NvtxRecord>(bytes), trace::NvtxKind::mark));
}

void RecordConverter::nvtx_start(Lane& lane, Bytes bytes) {
  pairing_.start(nvtx_row(lane, record_as<spool::NvtxRecord>(bytes), trace::NvtxKind::start_end));
}

void RecordConverter::nvtx_end(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::NvtxRecord>(bytes);
  pairing_.end(record.range, lane.global_tid, nvtx_time(record));
}

void RecordConverter::nvtx_domain(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::NvtxDomainRecord>(bytes);
  if (!domains_.try_emplace(record.header.id, 0).second) return;  // each lane says it
  trace::NvtxRow row;
  row.kind = trace::NvtxKind::domain_create;
  row.global_tid = lane.global_tid;
  row.domain = record.header.id;
  row.text = string_of(lane, record.text);
  writer_.add(row);
}

void RecordConverter::nvtx_category(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::NvtxCategoryRecord>(bytes);
  trace::NvtxRow row;
  row.kind = trace::NvtxKind::category;
  row.global_tid = lane.global_tid;
  row.domain = record.header.id;
  row.category = record.category;
  row.text = string_of(lane, record.text);
  writer_.add(row);
}

void RecordConverter::finish(bool begins_let_go) {
  for (const auto& row : waiting_synchronizations_) writer_.add(row);
  for (const auto& row : waiting_events_) writer_.add(row);
  pairing_.finish();
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
