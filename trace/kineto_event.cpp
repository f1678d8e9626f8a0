#include "trace/kineto_event.h"

#include <algorithm>
#include <iterator>

#include "trace/device_event_names.h"
#include "trace/json_reader.h"

namespace gputrace::trace {
namespace {

template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

template <class Value, std::size_t size>
std::string name_of(const Named<Value> (&names)[size], Value value, std::string_view otherwise) {
  for (const auto& named : names) {
    if (named.value == value) return std::string(named.name);
  }
  return std::string(otherwise);
}

template <class Value, std::size_t size>
Value find(const Named<Value> (&names)[size], std::string_view name, Value otherwise) {
  const auto found =
      std::find_if(std::begin(names), std::end(names), [&](const auto& named) { return named.name == name; });
  return found == std::end(names) ? otherwise : found->value;
}

constexpr Named<KinetoCategory> kCategories[] = {
    {"kernel", KinetoCategory::kernel},
    {"Kernel", KinetoCategory::kernel},
    {"gpu_memcpy", KinetoCategory::copy},
    {"Memcpy", KinetoCategory::copy},
    {"gpu_memset", KinetoCategory::fill},
    {"Memset", KinetoCategory::fill},
    {"cuda_sync", KinetoCategory::synchronization},
    {"cuda_runtime", KinetoCategory::runtime_call},
    {"Runtime", KinetoCategory::runtime_call},
    {"cuda_driver", KinetoCategory::driver_call},
    {"overhead", KinetoCategory::overhead},
    {"cuda_graph", KinetoCategory::graph_launch},       // gputrace's own export of a graph seen as one span
    {"gputrace finding", KinetoCategory::not_read},     // what a report of gputrace said about the trace
    {"gpu_user_annotation", KinetoCategory::not_read},  // a range of the host, shown again over its kernels
    {"Trace", KinetoCategory::not_read},                // the profiler's own window, as long as the trace
};

constexpr Named<CopyKind> kCopyKinds[] = {
    {"HtoD", CopyKind::host_to_device},  {"DtoH", CopyKind::device_to_host},
    {"HtoA", CopyKind::host_to_array},   {"AtoH", CopyKind::array_to_host},
    {"AtoA", CopyKind::array_to_array},  {"AtoD", CopyKind::array_to_device},
    {"DtoA", CopyKind::device_to_array}, {"DtoD", CopyKind::device_to_device},
    {"HtoH", CopyKind::host_to_host},    {"PtoP", CopyKind::peer_to_peer},
    {"UVM HtoD", CopyKind::unified_host_to_device},
    {"UVM DtoH", CopyKind::unified_device_to_host},
    {"UVM DtoD", CopyKind::unified_device_to_device}};

constexpr Named<MemoryKind> kMemoryKinds[] = {{"Pageable", MemoryKind::pageable},
                                              {"Pinned", MemoryKind::pinned},
                                              {"Device", MemoryKind::device},
                                              {"Array", MemoryKind::array},
                                              {"Managed", MemoryKind::managed},
                                              {"Device Static", MemoryKind::device_static},
                                              {"Managed Static", MemoryKind::managed_static}};

constexpr Named<SyncKind> kSyncKinds[] = {{"Event Sync", SyncKind::event},
                                          {"Stream Wait Event", SyncKind::stream_wait_event},
                                          {"Stream Sync", SyncKind::stream},
                                          {"Context Sync", SyncKind::context}};

constexpr Named<OverheadKind> kOverheadKinds[] = {
    {"Driver Compiler", OverheadKind::driver_jit},
    {"Buffer Flush", OverheadKind::buffer_flush},
    {"Instrumentation", OverheadKind::instrumentation},
    {"Resource", OverheadKind::resource},
    {"Runtime Triggered Module Loading", OverheadKind::module_load},
    {"Lazy Function Loading", OverheadKind::lazy_function_load},
    {"Command Buffer Full", OverheadKind::command_buffer_full}};

std::string_view bracketed(std::string_view name) {
  const std::size_t open = name.find('('), close = name.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return name.substr(open + 1, close - open - 1);
}

std::int32_t int32_or(std::string_view value, std::int32_t otherwise) {
  const auto number = json_integer(value);
  return number && *number >= INT32_MIN && *number <= INT32_MAX ? static_cast<std::int32_t>(*number)
                                                                : otherwise;
}

std::optional<std::int32_t> optional_int32(std::string_view value) {
  const auto number = json_integer(value);
  if (!number || *number < 0 || *number > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

Dim3 dim3(std::string_view array) {
  Dim3 dim;
  JsonItems items(array);
  for (std::int32_t* size : {&dim.x, &dim.y, &dim.z}) {
    if (items.next()) *size = int32_or(items.value(), 1);
  }
  return dim;
}

}  // namespace

KinetoEvent decode_event(std::string_view object) {
  KinetoEvent event;
  for (JsonFields fields(object); fields.next();) {
    const std::string_view key = fields.key(), value = fields.value();
    if (key == "ph")
      event.phase = value.size() == 3 ? value[1] : '\0';
    else if (key == "cat")
      event.category = value.size() >= 2 ? value.substr(1, value.size() - 2) : value;
    else if (key == "name")
      event.name = value;
    else if (key == "pid")
      event.pid = value;
    else if (key == "tid")
      event.tid = value;
    else if (key == "id")
      event.id = value;
    else if (key == "args")
      event.args = value;
    else if (key == "ts")
      event.start_ns = json_microseconds_as_ns(value);
    else if (key == "dur")
      event.duration_ns = json_microseconds_as_ns(value);
  }
  return event;
}

KinetoArgs decode_args(std::string_view object) {
  KinetoArgs args;
  for (JsonFields fields(object); fields.next();) {
    const std::string_view key = fields.key(), value = fields.value();
    if (key == "device" || key == "inDevice")
      args.device = optional_int32(value);
    else if (key == "fromDevice")
      args.from_device = optional_int32(value);
    else if (key == "toDevice")
      args.to_device = optional_int32(value);
    else if (key == "context" || key == "inContext")
      args.context = int32_or(value, 0);
    else if (key == "stream")
      args.stream = int32_or(value, 0);
    else if (key == "correlation")
      args.correlation = json_integer(value).value_or(0);
    else if (key == "bytes" || key == "size")
      args.bytes = json_integer(value).value_or(0);
    else if (key == "registers per thread")
      args.registers_per_thread = int32_or(value, 0);
    else if (key == "shared memory")
      args.shared_bytes = int32_or(value, 0);
    else if (key == "graph")
      args.graph = json_integer(value).value_or(0);
    else if (key == "graph exec")
      args.graph_exec = json_integer(value).value_or(0);
    else if (key == "mangled")
      args.mangled = value;
    else if (key == "category")
      args.category = value;
    else if (key == "color")
      args.color_argb = static_cast<std::uint32_t>(json_integer(value).value_or(0));
    else if (key == "return value")
      args.return_value = int32_or(value, 0);
    else if (key == "static shared memory")
      args.static_shared_bytes = int32_or(value, 0);
    else if (key == "graph node id")
      args.graph_node = json_integer(value).value_or(0);
    else if (key == "grid")
      args.grid = dim3(value);
    else if (key == "block")
      args.block = dim3(value);
    else if (key == "process")
      args.process = json_integer(value);
    else if (key == "domain")
      args.domain = value;
  }
  return args;
}

KinetoCategory category_of(std::string_view category) {
  return find(kCategories, category, KinetoCategory::range);
}

CopyNature copy_nature(std::string_view name) {
  CopyNature nature;
  constexpr std::string_view kPrefix = "Memcpy ", kArrow = " -> ";
  if (name.starts_with(kPrefix))
    nature.kind = find(kCopyKinds, name.substr(kPrefix.size(), std::min(name.size(), name.find(" (")) - kPrefix.size()),
                       CopyKind::unknown);
  const std::string_view kinds = bracketed(name);
  const std::size_t arrow = kinds.find(kArrow);
  if (arrow == std::string_view::npos) return nature;
  nature.source = find(kMemoryKinds, kinds.substr(0, arrow), MemoryKind::unknown);
  nature.destination = find(kMemoryKinds, kinds.substr(arrow + kArrow.size()), MemoryKind::unknown);
  return nature;
}

MemoryKind fill_memory(std::string_view name) {
  return find(kMemoryKinds, bracketed(name), MemoryKind::unknown);
}
SyncKind sync_kind(std::string_view name) { return find(kSyncKinds, name, SyncKind::unknown); }
OverheadKind overhead_kind(std::string_view name) {
  return find(kOverheadKinds, name, OverheadKind::unknown);
}

std::string copy_event_name(CopyKind kind, MemoryKind source, MemoryKind destination) {
  return "Memcpy " + name_of(kCopyKinds, kind, "Unknown") + " (" + name_of(kMemoryKinds, source, "Unknown") + " -> " +
         name_of(kMemoryKinds, destination, "Unknown") + ")";
}
std::string fill_event_name(MemoryKind memory) { return "Memset (" + name_of(kMemoryKinds, memory, "Unknown") + ")"; }
std::string synchronization_event_name(SyncKind kind) { return name_of(kSyncKinds, kind, "Unknown Sync"); }
std::string overhead_event_name(OverheadKind kind) { return name_of(kOverheadKinds, kind, "Unknown"); }

}  // namespace gputrace::trace
