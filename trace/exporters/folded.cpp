// Folded stacks, for flame graphs (flamegraph.pl, speedscope, inferno): a line per stack, frames joined by ';', then the nanoseconds
// that its work took on GPUs. A stack is the ranges open on the host thread when it asked for the work, the call that asked, and the
// kernel, copy, memset or graph; with several processes, the process first. Ranges from start to end, which need not nest, are no
// frames. Time of streams that overlap adds up: the sum is kernel time, not wall time.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trace/device_event_names.h"
#include "trace/exporter.h"

namespace gputrace::trace {
namespace {

// Stacks as a tree, so that a frame is kept once for all stacks below it.
class Stacks {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;

  Node below(Node parent, std::string_view frame) {
    frame_.assign(frame);
    for (char& c : frame_) c = c == ';' ? ',' : static_cast<unsigned char>(c) < ' ' ? ' ' : c;  // what would end a frame or a line
    if (frame_.empty()) frame_ = "(no name)";
    const auto name = names_.try_emplace(frame_, static_cast<std::uint32_t>(names_.size())).first;
    const auto [entry, is_new] = nodes_.try_emplace({parent, name->second}, static_cast<Node>(all_.size()));
    if (is_new) all_.push_back({parent, &name->first, 0});
    return entry->second;
  }
  void add(Node node, std::int64_t ns) { all_[node].ns += ns; }

  void write(ByteSink& sink) const {
    std::vector<std::string> lines;
    for (Node node = 1; node < all_.size(); ++node) {
      if (all_[node].ns > 0) lines.push_back(fmt::format("{} {}\n", path(node), all_[node].ns));
    }
    std::sort(lines.begin(), lines.end());
    for (const std::string& line : lines) sink.append(line);
  }

 private:
  struct Entry {
    Node parent = kRoot;
    const std::string* frame = nullptr;  // a key of names_
    std::int64_t ns = 0;
  };

  std::string path(Node node) const {
    std::vector<const std::string*> frames;
    for (; node != kRoot; node = all_[node].parent) frames.push_back(all_[node].frame);
    std::string text;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) text += (text.empty() ? "" : ";") + **frame;
    return text;
  }

  std::vector<Entry> all_{1};
  std::unordered_map<std::string, std::uint32_t> names_;
  std::map<std::pair<Node, std::uint32_t>, Node> nodes_;
  std::string frame_;
};

// The ranges of a thread that are open, as its rows go by in the order of their starts.
class OpenRanges {
 public:
  explicit OpenRanges(Stacks::Node bottom) : bottom_(bottom) {}

  Stacks::Node top(std::int64_t time_ns, Stacks& stacks) {
    const auto ended = [time_ns](const Range& range) { return range.end_ns <= time_ns; };
    const auto first = std::find_if(open_.begin(), open_.end(), ended);
    if (first != open_.end()) {
      const auto from = first - open_.begin();
      open_.erase(std::remove_if(first, open_.end(), ended), open_.end());
      // Ranges that end inside another one's time leave it one frame lower.
      for (auto at = static_cast<std::size_t>(from); at < open_.size(); ++at) open_[at].node = stacks.below(at == 0 ? bottom_ : open_[at - 1].node, open_[at].text);
    }
    return open_.empty() ? bottom_ : open_.back().node;
  }
  void open(Span span, std::string_view text, Stacks& stacks) {
    constexpr std::size_t kDeepest = 512;
    const Stacks::Node parent = top(span.start_ns, stacks);
    if (open_.size() < kDeepest) open_.push_back({span.end_ns == kNoEnd ? INT64_MAX : span.end_ns, text, stacks.below(parent, text)});
  }

 private:
  struct Range {
    std::int64_t end_ns;
    std::string_view text;
    Stacks::Node node;
  };
  Stacks::Node bottom_;
  std::vector<Range> open_;
};

class FoldedWriter {
 public:
  explicit FoldedWriter(const Trace& trace) : trace_(trace) {}

  void write(ByteSink& sink) {
    find_stacks_of_calls();
    add(trace_.kernels, [this](std::size_t i) { return std::string(trace_.text(trace_.kernels.name[i])); });
    add(trace_.copies, [this](std::size_t i) { return copy_event_name(trace_.copies.kind[i], trace_.copies.source_memory[i], trace_.copies.destination_memory[i]); });
    add(trace_.fills, [this](std::size_t i) { return fill_event_name(trace_.fills.memory[i]); });
    add(trace_.graph_launches, [this](std::size_t i) { return fmt::format("CUDA graph {}", trace_.graph_launches.graph[i]); });
    stacks_.write(sink);
  }

 private:
  Stacks::Node process_node(ProcessIndex process) {
    if (trace_.processes.size() < 2) return Stacks::kRoot;
    if (process.value < 0) return stacks_.below(Stacks::kRoot, "unknown process");
    const Process& known = trace_.processes[static_cast<std::size_t>(process.value)];
    return stacks_.below(Stacks::kRoot, known.name.empty() ? fmt::format("process {}", known.pid) : known.name);
  }

  ProcessIndex process_of(ThreadIndex thread) const {
    return thread.value < 0 ? ProcessIndex{-1} : trace_.threads[static_cast<std::size_t>(thread.value)].process;
  }

  OpenRanges& ranges_of(ThreadIndex thread) {
    const auto found = open_.find(thread);
    return found != open_.end() ? found->second : open_.emplace(thread, OpenRanges(process_node(process_of(thread)))).first->second;
  }

  // Calls and ranges are each sorted by start; of one time, the range is the outer.
  void find_stacks_of_calls() {
    const NvtxRanges& ranges = trace_.nvtx;
    const ApiCalls& calls = trace_.api_calls;
    const std::vector<std::uint32_t> order = ranges_outer_first();
    std::size_t next = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      for (; next < order.size() && ranges.start_ns[order[next]] <= calls.start_ns[i]; ++next) open(order[next]);
      if (calls.correlation[i].value == 0) continue;
      const Stacks::Node caller = ranges_of(calls.thread[i]).top(calls.start_ns[i], stacks_);
      // A runtime call and the driver's below it share an id: the outer one counts.
      const auto [entry, is_new] = calls_.try_emplace({process_of(calls.thread[i]), calls.correlation[i]}, Stacks::kRoot);
      if (is_new) entry->second = stacks_.below(caller, trace_.text(calls.name[i]));
    }
  }

  std::vector<std::uint32_t> ranges_outer_first() const {
    const NvtxRanges& ranges = trace_.nvtx;
    std::vector<std::uint32_t> order;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (ranges.kind[i] == NvtxKind::push_pop) order.push_back(static_cast<std::uint32_t>(i));
    }
    const auto end_ns = [&ranges](std::uint32_t i) { return ranges.end_ns[i] == kNoEnd ? INT64_MAX : ranges.end_ns[i]; };
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(ranges.start_ns[a], end_ns(b)) < std::tuple(ranges.start_ns[b], end_ns(a));
    });
    return order;
  }

  void open(std::uint32_t range) {
    const NvtxRanges& ranges = trace_.nvtx;
    ranges_of(ranges.thread[range]).open({ranges.start_ns[range], ranges.end_ns[range]}, trace_.text(ranges.text[range]), stacks_);
  }

  template <class Name>
  void add(const DeviceColumns& rows, Name name) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto call = calls_.find({rows.process[i], rows.correlation[i]});
      const Stacks::Node caller = call != calls_.end() ? call->second : stacks_.below(process_node(rows.process[i]), "(launch not captured)");
      stacks_.add(stacks_.below(caller, name(i)), rows.span(i).duration_ns());
    }
  }

  const Trace& trace_;
  Stacks stacks_;
  std::map<ThreadIndex, OpenRanges> open_;
  std::map<std::pair<ProcessIndex, CorrelationId>, Stacks::Node> calls_;
};

void write_folded(const Trace& trace, std::span<const Annotation>, ByteSink& sink) { FoldedWriter(trace).write(sink); }

}  // namespace

extern const Exporter folded;
constinit const Exporter folded{"folded", ".folded", write_folded};

}  // namespace gputrace::trace
