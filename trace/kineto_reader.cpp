#include "trace/kineto_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/begin_end_pairs.h"
#include "trace/gpu_counters.h"
#include "trace/json_reader.h"
#include "trace/kineto_collectives.h"
#include "trace/kernel_names.h"
#include "trace/counter_rows.h"
#include "trace/kineto_event.h"
#include "trace/kineto_memory.h"
#include "trace/kineto_metadata.h"
#include "trace/native_threads.h"
#include "trace/row_problems.h"
#include "trace/table_rows.h"
#include "trace/thread_registry.h"
#include "trace/timeline_rows.h"

namespace gputrace::trace {
namespace {

constexpr std::int64_t kNoProcess = -1, kMostGpus = 64;
constexpr std::string_view kOwnRanges = "nvtx", kNoUnit = "value";

using NativeThread = std::pair<std::int64_t, std::int64_t>;  // process and thread id, as written

struct Range {
  NativeThread thread;
  Span span;
  StringId domain, text, category;
  std::uint32_t color_argb;
};

}  // namespace

class KinetoReader::Impl {
 public:
  explicit Impl(Trace& trace) : trace_(trace) {}

  void add_event(std::string_view object) {
    const KinetoEvent event = decode_event(object);
    if (event.phase == 'M') return keep_name(event);
    if (event.phase == 'X') return add_span(event);
    if (!event.start_ns) return;
    const NativeThread thread = native_of(event);
    if (event.phase == 'B')
      begin(nested_, thread, event);
    else if (event.phase == 'E')
      nested_.end(thread, *event.start_ns);
    else if (event.phase == 'b' || event.phase == 'e')
      add_overlapping(event);
    else if (event.phase == 'i' || event.phase == 'I')
      add_instant(event);
    else if (event.phase == 'C' && event.category != kDerivedCounter)
      add_counter(event);
  }

  void add_metadata(std::string_view key, std::string_view value) { metadata_.add(key, value); }

  void finish() {
    decide_ranges();
    add_pairs(nested_, NvtxKind::push_pop);
    add_pairs(overlapping_, NvtxKind::start_end);
    memory_.finish();
    mark_captured_tables();
    for (const RowProblems* problems : {&kernel_problems_, &copy_problems_, &fill_problems_, &sync_problems_, &graph_problems_,
                                        &call_problems_, &overhead_problems_, &range_problems_, &counter_problems_}) {
      problems->report(trace_.diagnostics);
    }
    if (copies_without_size_ > 0) trace_.diagnostics.push_back({kCopiesWithoutSize, copies_without_size_});
    threads_.give_names(metadata_.rank_text());
    attribute_device_rows();
    trace_.metadata.producer = !metadata_.own_producer().empty() ? metadata_.own_producer() : is_kineto() ? "PyTorch profiler" : "Chrome trace";
  }

 private:
  void add_span(const KinetoEvent& event) {
    switch (category_of(event.category)) {
      case KinetoCategory::kernel:
        return add_kernel(event);
      case KinetoCategory::copy:
        return add_copy(event);
      case KinetoCategory::fill:
        return add_fill(event);
      case KinetoCategory::synchronization:
        return add_synchronization(event);
      case KinetoCategory::runtime_call:
        return add_call(event, ApiClass::runtime);
      case KinetoCategory::driver_call:
        return add_call(event, ApiClass::driver);
      case KinetoCategory::overhead:
        return add_overhead(event);
      case KinetoCategory::graph_launch:
        return add_graph_launch(event);
      case KinetoCategory::range:
        return add_range(event);
      case KinetoCategory::not_read:
        return;
    }
  }

  static std::optional<Span> span_of(const KinetoEvent& event, RowProblems& problems) {
    if (!event.start_ns || !event.duration_ns) return problems.count(RowProblem::no_time), std::nullopt;
    Span span{*event.start_ns, 0};
    if (__builtin_add_overflow(span.start_ns, *event.duration_ns, &span.end_ns)) {
      return problems.count(RowProblem::time_out_of_range), std::nullopt;
    }
    if (!is_usable_span(span.start_ns, span.end_ns, problems)) return std::nullopt;
    return span;
  }

  StringId intern(std::string_view value) {
    if (value.find('\\') != std::string_view::npos || !value.starts_with('"'))
      return trace_.strings.intern(json_text(value));
    return trace_.strings.intern(value.substr(1, value.size() - 2));
  }

  // Older traces name the device in the row of the event only.
  bool add_device_columns(const KinetoEvent& event, const KinetoArgs& args, DeviceColumns& columns,
                          RowProblems& problems) {
    const std::optional<Span> span = span_of(event, problems);
    if (!span) return false;
    const std::int64_t device = args.device ? *args.device : json_integer(event.pid).value_or(-1);
    if (device < 0 || device > INT32_MAX) return problems.count(RowProblem::no_device), false;
    columns.start_ns.push_back(span->start_ns);
    columns.end_ns.push_back(span->end_ns);
    columns.device.push_back(DeviceId{static_cast<std::int32_t>(device)});
    columns.context.push_back(ContextId{args.context});
    columns.stream.push_back(StreamId{args.stream});
    columns.correlation.push_back(CorrelationId{args.correlation});
    columns.process.push_back(args.process ? threads_.process(*args.process) : ProcessIndex{-1});
    return true;
  }

  void add_kernel(const KinetoEvent& event) {
    const KinetoArgs args = decode_args(event.args);
    Kernels& kernels = trace_.kernels;
    if (!add_device_columns(event, args, kernels, kernel_problems_)) return;
    const StringId name = intern(event.name);
    const auto [short_name, is_new] = short_names_.try_emplace(name);
    if (is_new) short_name->second = trace_.strings.intern(base_name(trace_.strings[name]));
    kernels.name.push_back(name);
    kernels.short_name.push_back(short_name->second);
    kernels.mangled.push_back(args.mangled.empty() ? StringId{} : intern(args.mangled));
    kernels.grid.push_back(args.grid);
    kernels.block.push_back(args.block);
    kernels.registers_per_thread.push_back(args.registers_per_thread);
    kernels.static_shared_bytes.push_back(args.static_shared_bytes);
    kernels.dynamic_shared_bytes.push_back(args.shared_bytes - args.static_shared_bytes);  // Kineto writes the sum
    kernels.graph_node.push_back(args.graph_node);
  }

  void add_copy(const KinetoEvent& event) {
    const KinetoArgs args = decode_args(event.args);
    Copies& copies = trace_.copies;
    if (!add_device_columns(event, args, copies, copy_problems_)) return;
    const CopyNature nature = copy_nature(json_text(event.name));
    const DeviceId device = copies.device.back();
    copies.bytes.push_back(args.bytes);
    copies_without_size_ += args.bytes <= 0;
    copies.kind.push_back(nature.kind);
    copies.source_memory.push_back(nature.source);
    copies.destination_memory.push_back(nature.destination);
    copies.source_device.push_back(args.from_device ? DeviceId{*args.from_device} : device);
    copies.destination_device.push_back(args.to_device ? DeviceId{*args.to_device} : device);
  }

  void add_fill(const KinetoEvent& event) {
    const KinetoArgs args = decode_args(event.args);
    if (!add_device_columns(event, args, trace_.fills, fill_problems_)) return;
    trace_.fills.bytes.push_back(args.bytes);
    trace_.fills.memory.push_back(fill_memory(json_text(event.name)));
  }

  void add_synchronization(const KinetoEvent& event) {
    const KinetoArgs args = decode_args(event.args);
    if (!add_device_columns(event, args, trace_.synchronizations, sync_problems_)) return;
    trace_.synchronizations.kind.push_back(sync_kind(json_text(event.name)));
    trace_.synchronizations.event.push_back(0);
    trace_.synchronizations.event_sync.push_back(0);
  }

  void add_graph_launch(const KinetoEvent& event) {
    const KinetoArgs args = decode_args(event.args);
    if (!add_device_columns(event, args, trace_.graph_launches, graph_problems_)) return;
    trace_.graph_launches.graph.push_back(args.graph);
    trace_.graph_launches.graph_exec.push_back(args.graph_exec);
  }

  void add_call(const KinetoEvent& event, ApiClass api) {
    const std::optional<Span> span = span_of(event, call_problems_);
    if (!span) return;
    ApiCalls& calls = trace_.api_calls;
    calls.start_ns.push_back(span->start_ns);
    calls.end_ns.push_back(span->end_ns);
    calls.thread.push_back(thread_of(native_of(event)));
    const KinetoArgs args = decode_args(event.args);
    calls.correlation.push_back(CorrelationId{args.correlation});
    calls.name.push_back(intern(event.name));
    calls.api_class.push_back(api);
    calls.return_value.push_back(args.return_value);
  }

  void add_overhead(const KinetoEvent& event) {
    const std::optional<Span> span = span_of(event, overhead_problems_);
    if (!span) return;
    Overheads& overheads = trace_.overheads;
    overheads.start_ns.push_back(span->start_ns);
    overheads.end_ns.push_back(span->end_ns);
    overheads.thread.push_back(thread_of(native_of(event)));
    overheads.kind.push_back(overhead_kind(json_text(event.name)));
    overheads.name.push_back(intern(event.name));
  }

  // Older Kineto shows annotations again over their kernels, in a row whose pid is the GPU's number; only the
  // label of that row, which may come later, tells it from a process.
  void add_range(const KinetoEvent& event) {
    const std::optional<Span> span = span_of(event, range_problems_);
    if (!span) return;
    const Range range = range_of(event, *span);
    if (range.thread.first >= 0 && range.thread.first < kMostGpus && event.category == "user_annotation") {
      undecided_ranges_.push_back(range);
    } else {
      add_range(range);
    }
  }

  // gputrace's own export names the domain apart, for a domain may be called as Kineto calls its kernels.
  StringId domain_of(const KinetoEvent& event) {
    if (event.category != kOwnRanges) return trace_.strings.intern(event.category);
    const std::string_view domain = decode_args(event.args).domain;
    return domain.empty() ? StringId{} : intern(domain);
  }
  Range range_of(const KinetoEvent& event, Span span) {
    const auto collective = collective_text(event.name, event.args);
    const StringId text = collective ? trace_.strings.intern(*collective) : intern(event.name);
    Range range{native_of(event), span, domain_of(event), text, StringId{}, 0};
    if (event.category != kOwnRanges) return range;
    const KinetoArgs args = decode_args(event.args);
    if (!args.category.empty()) range.category = intern(args.category);
    range.color_argb = args.color_argb;
    return range;
  }

  void add_instant(const KinetoEvent& event) {
    if (KinetoMemory::is_memory_event(event.name))
      memory_.add(*event.start_ns, process_of(event), event.args);
    else if (!event.category.empty())
      add_mark(event);
  }

  // A series per argument; of one alone, the event's name is the counter's.
  void add_counter(const KinetoEvent& event) {
    std::size_t series = 0;
    for (JsonFields fields(event.args); fields.next();) ++series;
    for (JsonFields fields(event.args); fields.next();) {
      const auto value = json_number(fields.value());
      if (!value) {
        counter_problems_.count(RowProblem::wrong_type);
        continue;
      }
      const bool is_own = event.category == kRecordedCounter;  // whose argument is the unit
      const std::string name = json_text(event.name) + (series > 1 ? " " + std::string(fields.key()) : "");
      add_counter_sample(trace_, {.time_ns = *event.start_ns,
                                  .name = trace_.strings.intern(name),
                                  .unit = is_own && fields.key() != kNoUnit ? trace_.strings.intern(fields.key()) : StringId{},
                                  .process = process_of(event),
                                  .device = is_own ? DeviceId{static_cast<std::int32_t>(std::clamp<std::int64_t>(json_integer(event.id).value_or(-1), -1, INT32_MAX))} : DeviceId{-1},
                                  .value = *value},
                         counter_problems_);
    }
  }

  ProcessIndex process_of(const KinetoEvent& event) {
    const std::int64_t pid = native_of(event).first;
    return pid <= 0 ? ProcessIndex{-1} : threads_.process(pid);
  }

  void add_mark(const KinetoEvent& event) {
    const Span span{*event.start_ns, *event.start_ns};
    if (span.start_ns != 0 && !is_usable_span(span.start_ns, span.end_ns, range_problems_)) return;
    if (category_of(event.category) == KinetoCategory::range) add_range(range_of(event, span), NvtxKind::mark);
  }

  // Ranges that need not nest belong together by their id.
  void add_overlapping(const KinetoEvent& event) {
    const auto key = overlapping_keys_.try_emplace({json_text(event.id), event.pid.empty() ? 0 : native_of(event).first},
                                                   static_cast<std::int64_t>(overlapping_threads_.size()));
    if (key.second) overlapping_threads_.push_back(native_of(event));
    const BeginEndPairs::Stack stack{key.first->second, 0};
    if (event.phase == 'b')
      begin(overlapping_, stack, event);
    else
      overlapping_.end(stack, *event.start_ns);
  }

  void begin(BeginEndPairs& pairs, BeginEndPairs::Stack stack, const KinetoEvent& event) {
    const Range range = range_of(event, {});
    pairs.begin(stack, *event.start_ns, range.domain, range.text, range.category, range.color_argb);
  }

  void add_pairs(BeginEndPairs& pairs, NvtxKind kind) {
    for (const BeginEndPairs::Range& pair : pairs.take(range_problems_)) {
      const bool is_open = pair.span.end_ns == kNoEnd;
      const std::int64_t end_ns = is_open ? kTimeLimitNs - 1 : pair.span.end_ns;
      if (!is_usable_span(pair.span.start_ns, end_ns, range_problems_)) continue;
      const NativeThread thread = kind == NvtxKind::push_pop
                                      ? pair.stack
                                      : overlapping_threads_[static_cast<std::size_t>(pair.stack.first)];
      add_range({thread, pair.span, pair.domain, pair.text, pair.category, pair.color_argb}, kind);
    }
  }

  void add_range(const Range& range, NvtxKind kind = NvtxKind::push_pop) {
    NvtxRanges& ranges = trace_.nvtx;
    ranges.start_ns.push_back(range.span.start_ns);
    ranges.end_ns.push_back(range.span.end_ns);
    ranges.kind.push_back(kind);
    ranges.thread.push_back(thread_of(range.thread));
    ranges.domain.push_back(range.domain);
    ranges.category.push_back(range.category);
    ranges.text.push_back(range.text);
    ranges.color_argb.push_back(range.color_argb);
  }

  void decide_ranges() {
    for (const Range& range : undecided_ranges_) {
      if (!gpu_rows_.contains(range.thread.first)) add_range(range);
    }
  }

  static NativeThread native_of(const KinetoEvent& event) {
    return {json_integer(event.pid).value_or(kNoProcess), json_integer(event.tid).value_or(0)};
  }

  ThreadIndex thread_of(NativeThread native) {
    if (native.first <= 0) return ThreadIndex{-1};  // Kineto writes 0 for a thread that it does not know
    return threads_.thread(native.first, native.second);
  }

  void keep_name(const KinetoEvent& event) {
    const std::string kind = json_text(event.name);
    const auto pid = json_integer(event.pid);
    if (!pid) return;
    for (JsonFields fields(event.args); fields.next();) {
      if (kind == "process_labels" && json_text(fields.value()).starts_with("GPU")) gpu_rows_.insert(*pid);
      if (kind != "process_name" && kind != "thread_name") continue;
      if (fields.key() != "name") continue;
      if (kind == "process_name")
        threads_.name_process(*pid, json_text(fields.value()));
      else
        threads_.name_thread(*pid, json_integer(event.tid).value_or(0), json_text(fields.value()));
    }
  }

  // Kineto profiles one process: its kernels are that one's even where the launch is older than the trace.
  void attribute_device_rows() {
    if (!metadata_.own_producer().empty()) return;  // gputrace's own export says whose each row is, where it is known
    if (trace_.processes.size() != 1) return resolve_processes_by_correlation(trace_);
    for (DeviceColumns* columns :
         {static_cast<DeviceColumns*>(&trace_.kernels), static_cast<DeviceColumns*>(&trace_.copies),
          static_cast<DeviceColumns*>(&trace_.fills),
          static_cast<DeviceColumns*>(&trace_.synchronizations)}) {
      columns->process.assign(columns->size(), ProcessIndex{0});
    }
  }

  // Kineto switches kernels, copies and fills on together, with the API calls.
  void mark_captured_tables() {
    const bool has_device_work = trace_.kernels.size() + trace_.copies.size() + trace_.fills.size() > 0;
    if (has_device_work || trace_.api_calls.size() > 0) {
      for (const Table table : {Table::kernels, Table::copies, Table::fills}) mark_captured(trace_, table);
    }
    if (trace_.api_calls.size() > 0) mark_captured(trace_, Table::api_calls);
    if (trace_.synchronizations.size() > 0) mark_captured(trace_, Table::synchronizations);
    if (trace_.overheads.size() > 0) mark_captured(trace_, Table::overheads);
    if (trace_.graph_launches.size() > 0) mark_captured(trace_, Table::graph_launches);
    if (trace_.nvtx.size() > 0) mark_captured(trace_, Table::nvtx);
  }

  bool is_kineto() const {
    return !trace_.metadata.schema_version.empty() || trace_.kernels.size() > 0 ||
           trace_.api_calls.size() > 0;
  }

  Trace& trace_;
  NativeThreads threads_{trace_};
  KinetoMetadata metadata_{trace_};
  KinetoMemory memory_{trace_};
  std::unordered_map<StringId, StringId> short_names_;
  std::vector<Range> undecided_ranges_;
  BeginEndPairs nested_, overlapping_;
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> overlapping_keys_;  // id and process
  std::vector<NativeThread> overlapping_threads_;                                 // by the values above
  std::set<std::int64_t> gpu_rows_;  // "pid" of the rows that show a GPU
  RowProblems kernel_problems_{"kernel events"}, copy_problems_{"copy events"},
      fill_problems_{"memset events"}, sync_problems_{"synchronization events"}, graph_problems_{"graph launch events"},
      call_problems_{"API call events"}, overhead_problems_{"overhead events"},
      range_problems_{"range events"}, counter_problems_{"counter events"};
  std::int64_t copies_without_size_ = 0;
};

KinetoReader::KinetoReader(Trace& trace) : impl_(std::make_unique<Impl>(trace)) {}
KinetoReader::~KinetoReader() = default;
void KinetoReader::add_event(std::string_view object) { impl_->add_event(object); }
void KinetoReader::add_metadata(std::string_view key, std::string_view value) {
  impl_->add_metadata(key, value);
}
void KinetoReader::finish() { impl_->finish(); }

}  // namespace gputrace::trace
