#include "gui/event_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/gpu_limits.h"
#include "analyzer/host_links.h"
#include "gui/quantity_text.h"
#include "gui/time_math.h"

namespace gputrace::gui {
namespace {

using trace::Table;
using trace::Trace;

std::string_view without_version(std::string_view api_name) {  // "cudaLaunchKernel_v7000"
  const std::size_t version = api_name.rfind("_v");
  if (version == std::string_view::npos || version + 2 == api_name.size()) return api_name;
  return api_name.find_first_not_of("0123456789", version + 2) == std::string_view::npos
             ? api_name.substr(0, version)
             : api_name;
}

const trace::DeviceColumns* device_columns(const Trace& trace, Table table) {
  switch (table) {
    case Table::kernels:
      return &trace.kernels;
    case Table::copies:
      return &trace.copies;
    case Table::fills:
      return &trace.fills;
    case Table::graph_launches:
      return &trace.graph_launches;
    default:
      return nullptr;
  }
}

std::uint64_t span_ns(trace::Span span) { return distance_ns(span.start_ns, span.end_ns); }

std::string dimensions(trace::Dim3 d) { return fmt::format("{} × {} × {}", d.x, d.y, d.z); }

// How many blocks fit on one multiprocessor, and what bounds that: the first limit that alone gives the number.
void add_occupancy(const Trace& trace, std::size_t i, std::vector<Property>& out) {
  const trace::Kernels& k = trace.kernels;
  const trace::Gpu* gpu = analyzer::find_gpu(trace, k.device[i]);
  const std::int64_t threads = k.block[i].count();
  if (gpu == nullptr || threads <= 0) return;
  const std::int64_t shared = std::int64_t{k.static_shared_bytes[i]} + k.dynamic_shared_bytes[i];
  const int blocks = analyzer::resident_blocks_per_sm(*gpu, threads, k.registers_per_thread[i], shared);
  const char* bound = "shared memory";
  if (analyzer::resident_blocks_per_sm(*gpu, threads, k.registers_per_thread[i], 0) == blocks) bound = "registers";
  if (analyzer::resident_blocks_per_sm(*gpu, threads, 0, 0) == blocks) bound = "threads and blocks";
  constexpr std::int64_t kCommonThreadsPerSm = 2048;  // as analyzer/gpu_limits.h takes where it is not captured
  const std::int64_t most = gpu->max_threads_per_sm > 0 ? gpu->max_threads_per_sm : kCommonThreadsPerSm;
  out.push_back({"Occupancy limit",
                 fmt::format("{} blocks / SM = {:.0f} % of its threads, by {}", blocks,
                             100.0 * static_cast<double>(std::min(most, blocks * threads)) / static_cast<double>(most),
                             bound)});
  if (const auto fill = analyzer::gpu_fill(trace, i))
    out.push_back({"Fills", fmt::format("{:.0f} % of the GPU's resident blocks", 100 * *fill)});
}

// The rate of a copy between host and GPU against what the link can do.
std::string link_share(const Trace& trace, std::size_t i) {
  const trace::Copies& c = trace.copies;
  if (c.kind[i] != trace::CopyKind::host_to_device && c.kind[i] != trace::CopyKind::device_to_host) return "";
  const auto limit = analyzer::host_link_limit(trace, c.device[i], c.kind[i]);
  const std::uint64_t ns = span_ns(c.span(i));
  if (!limit || limit->bytes_per_s <= 0 || ns == 0) return "";
  const double rate = static_cast<double>(c.bytes[i]) / static_cast<double>(ns) * 1e9;
  return fmt::format(" = {:.0f} % of {:.1f} GB/s ({})", 100 * rate / limit->bytes_per_s, limit->bytes_per_s / 1e9,
                     limit->source);
}

void add_kernel(const Session& session, std::size_t i, std::vector<Property>& out) {
  const trace::Kernels& k = session.trace.kernels;
  const analyzer::Explanation& e = session.names.explanation(k.name[i]);
  out.push_back({"Class", e.op_class.empty() ? "other" : e.op_class});
  if (!e.library.empty() && e.library != "unknown") out.push_back({"Library", e.library});
  if (!e.type.empty()) out.push_back({"Element type", e.type});
  out.push_back(
      {"Grid",
       fmt::format("{}  = {} blocks", dimensions(k.grid[i]),
                   count_text(static_cast<std::uint64_t>(std::max<std::int64_t>(0, k.grid[i].count()))))});
  out.push_back({"Block", fmt::format("{}  = {} threads", dimensions(k.block[i]), k.block[i].count())});
  out.push_back({"Registers / thread", fmt::format("{}", k.registers_per_thread[i])});
  const std::int64_t shared = std::int64_t{k.static_shared_bytes[i]} + k.dynamic_shared_bytes[i];
  out.push_back({"Shared memory / block", bytes_text(shared)});
  add_occupancy(session.trace, i, out);
}

void add_copy(const Trace& trace, std::size_t i, std::vector<Property>& out) {
  const trace::Copies& c = trace.copies;
  out.push_back({"Direction", trace::name(c.kind[i])});
  out.push_back({"Memory", fmt::format("{} → {}", trace::name(c.source_memory[i]),
                                       trace::name(c.destination_memory[i]))});
  if (c.source_device[i] != c.destination_device[i])
    out.push_back(
        {"Between", fmt::format("GPU {} → GPU {}", c.source_device[i].value, c.destination_device[i].value)});
  out.push_back({"Size", bytes_text(c.bytes[i])});
  if (const std::string rate = rate_text(c.bytes[i], span_ns(c.span(i))); !rate.empty())
    out.push_back({"Bandwidth", rate + link_share(trace, i)});
}

std::string thread_name(const Trace& trace, trace::ThreadIndex thread) {
  if (thread.value < 0 || static_cast<std::size_t>(thread.value) >= trace.threads.size()) return "unknown";
  const trace::Thread& t = trace.threads[static_cast<std::size_t>(thread.value)];
  return t.name.empty() ? fmt::format("{}", t.tid) : fmt::format("{} ({})", t.name, t.tid);
}

trace::ProcessIndex process_of(const Trace& trace, trace::ThreadIndex thread) {
  if (thread.value < 0 || static_cast<std::size_t>(thread.value) >= trace.threads.size())
    return trace::ProcessIndex{-1};
  return trace.threads[static_cast<std::size_t>(thread.value)].process;
}

void add_queue_time(const Session& session, EventRef event, std::int64_t start_ns,
                    std::vector<Property>& out) {
  const Trace& trace = session.trace;
  const std::vector<EventRef> calls = linked_events(session, event);
  if (calls.empty()) return;
  const trace::Span call = event_span(trace, calls.front());
  out.push_back(
      {"Launched by", std::string{without_version(trace.text(trace.api_calls.name[calls.front().row()]))}});
  out.push_back({"On thread", thread_name(trace, trace.api_calls.thread[calls.front().row()])});
  if (start_ns >= call.start_ns)
    out.push_back({"Launch to start", duration_text(distance_ns(call.start_ns, start_ns))});
  if (start_ns >= call.end_ns)
    out.push_back({"In the queue", duration_text(distance_ns(call.end_ns, start_ns))});
}

}  // namespace

trace::Span event_span(const Trace& trace, EventRef event) {
  const std::size_t i = event.row();
  if (const auto* columns = device_columns(trace, event.table())) return columns->span(i);
  if (event.table() == Table::api_calls) return trace.api_calls.span(i);
  if (event.table() == Table::overheads) return {trace.overheads.start_ns[i], trace.overheads.end_ns[i]};
  const std::int64_t end_ns = trace.nvtx.end_ns[i];
  return {trace.nvtx.start_ns[i],
          end_ns == trace::kNoEnd ? std::max(trace.span().end_ns, trace.nvtx.start_ns[i]) : end_ns};
}

std::string event_label(const Session& session, EventRef event) {
  const Trace& trace = session.trace;
  const std::size_t i = event.row();
  switch (event.table()) {
    case Table::kernels: {
      const std::string& label = session.names.explanation(trace.kernels.name[i]).label;
      return label.empty() ? std::string{trace.text(trace.kernels.short_name[i])} : label;
    }
    case Table::copies:
      return fmt::format("{}  {}", bytes_text(trace.copies.bytes[i]),
                         rate_text(trace.copies.bytes[i], span_ns(trace.copies.span(i))));
    case Table::fills:
      return fmt::format("fill {}", bytes_text(trace.fills.bytes[i]));
    case Table::graph_launches:
      return fmt::format("CUDA graph {}", trace.graph_launches.graph[i]);
    case Table::api_calls:
      return std::string{without_version(trace.text(trace.api_calls.name[i]))};
    case Table::overheads:
      return std::string{trace.text(trace.overheads.name[i])};
    case Table::nvtx:
      return std::string{trace.text(trace.nvtx.text[i]).substr(0, 200)};
    default:
      return "";
  }
}

std::optional<trace::StringId> event_name_id(const Trace& trace, EventRef event) {
  switch (event.table()) {
    case Table::kernels:
      return trace.kernels.name[event.row()];
    case Table::api_calls:
      return trace.api_calls.name[event.row()];
    case Table::nvtx:
      return trace.nvtx.text[event.row()];
    case Table::overheads:
      return trace.overheads.name[event.row()];
    default:
      return std::nullopt;
  }
}

std::string event_full_name(const Session& session, EventRef event) {
  const auto name = event_name_id(session.trace, event);
  return name ? std::string{session.trace.text(*name)} : event_label(session, event);
}

std::vector<Property> event_properties(const Session& session, EventRef event) {
  const Trace& trace = session.trace;
  const std::size_t i = event.row();
  const trace::Span span = event_span(trace, event);
  std::vector<Property> out;
  out.push_back({"Start", time_text(offset_ns(session.timeline.span.start_ns, span.start_ns), 1)});
  out.push_back({"Duration", duration_text(span_ns(span))});
  if (event.table() == Table::kernels) add_kernel(session, i, out);
  if (event.table() == Table::copies) add_copy(trace, i, out);
  if (event.table() == Table::fills) out.push_back({"Size", bytes_text(trace.fills.bytes[i])});
  if (const auto* columns = device_columns(trace, event.table())) {
    out.push_back({"GPU", fmt::format("{}", columns->device[i].value)});
    out.push_back({"Stream", fmt::format("{}", columns->stream[i].value)});
    add_queue_time(session, event, span.start_ns, out);
  }
  if (event.table() == Table::api_calls) {
    out.push_back({"Thread", thread_name(trace, trace.api_calls.thread[i])});
    out.push_back({"Returned", fmt::format("{}", trace.api_calls.return_value[i])});
  }
  if (event.table() == Table::overheads)
    out.push_back({"Thread", thread_name(trace, trace.overheads.thread[i])});
  if (event.table() == Table::nvtx) {
    out.push_back({"Thread", thread_name(trace, trace.nvtx.thread[i])});
    if (trace.nvtx.domain[i].value != 0)
      out.push_back({"Domain", std::string{trace.text(trace.nvtx.domain[i])}});
    if (trace.nvtx.end_ns[i] == trace::kNoEnd) out.push_back({"Note", "still open when the trace ended"});
  }
  return out;
}

std::vector<EventRef> linked_events(const Session& session, EventRef event) {
  constexpr std::size_t kMaxLinks = 64;
  const Trace& trace = session.trace;
  const auto& calls = trace.api_calls;
  std::vector<EventRef> links;
  if (const auto* columns = device_columns(trace, event.table())) {
    const auto call = session.launches.call(columns->process[event.row()], columns->correlation[event.row()]);
    if (call && *call < EventRef::kMaxRows) links.push_back({Table::api_calls, *call});
    return links;
  }
  if (event.table() != Table::api_calls || calls.correlation[event.row()].value == 0) return links;
  const trace::CorrelationId wanted = calls.correlation[event.row()];
  const trace::ProcessIndex process = process_of(trace, calls.thread[event.row()]);
  for (const Table table : {Table::kernels, Table::copies, Table::fills, Table::graph_launches}) {
    const auto& columns = *device_columns(trace, table);
    for (std::size_t i = 0; i < columns.size() && i < EventRef::kMaxRows && links.size() < kMaxLinks; ++i)
      if (columns.correlation[i] == wanted && columns.process[i] == process) links.push_back({table, i});
  }
  return links;
}

}  // namespace gputrace::gui
