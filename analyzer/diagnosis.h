// What an analysis says, as plain data: reports and the viewer show it and compute nothing.
// Each time is nanoseconds; a share is 0 to 1; std::nullopt means "not captured", never zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/charts/chart_data.h"
#include "trace/ids.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct Threshold;  // analyzer/thresholds.h
enum class Scope : std::uint8_t {
  loop,   // the steps after warm-up, else from the first work of a GPU on
  whole,  // from the first to the last event on a GPU, without steps: start-up, warm-up and loop together
};

enum class Verdict : std::uint8_t { found, nothing, could_not_look };
enum class Severity : std::uint8_t { critical, warning, info };

struct Evidence {
  trace::Span span;
  std::optional<trace::DeviceId> device;
  std::string text;
};

struct Finding {
  std::string rule;  // "pcie-bound-transfers"
  Verdict verdict = Verdict::nothing;
  Severity severity = Severity::info;  // meaningful where found
  std::string title;                   // one line
  std::string why;                     // a paragraph; for could_not_look: what is missing
  std::int64_t at_stake_ns_per_step = 0;       // the time that the cause takes
  std::int64_t recoverable_ns_per_step = 0;    // what the remedy is expected to win back
  double predicted_speedup = 1;                // step time now / step time after the remedy
  double step_now_ns = 0;                      // what these two are of, where it is not the median step: a mean that pauses raise
  std::string remedy{};        // the change that was replayed, as `gputrace whatif --do` takes it; "" where none was
  std::string explained_by{};  // the rule of a finding above that explains the same time: with its remedy, this one wins little
  std::vector<Evidence> evidence;              // at most kMaxEvidence, the largest first
  std::vector<std::string> advice;
};
inline constexpr std::size_t kMaxEvidence = 20;

enum class StepSource : std::uint8_t { none, nvtx, periodicity };

struct Steps {
  StepSource source = StepSource::none;
  std::vector<trace::Span> spans;        // all steps, in order
  std::size_t warm_up = 0;               // the first that many steps are left out of the figures
  std::int64_t median_ns = 0;            // of the steps after warm-up; 0 without steps
  // How sure it is that these are the steps: 1 where ranges say so; else the share of the busiest GPU's kernels that lie in whole units
  // of the repeating sequence, times that of units whose length is within a tenth of their median.
  double certainty = 0;
};

// One part of a GPU's window. The parts of a device sum to the window exactly.
struct TimePart {
  std::string key;    // "compute", "communication", "copy", "compute+copy", ..., "idle.launch"
  std::int64_t ns = 0;
};

// What a GPU that ran nothing waited for, by the chain of what decided when its next work began.
struct IdlePart {
  std::string reason;         // "host between calls", "allocation", "waiting for a collective" (idle_reasons.h)
  std::string where;          // the range or call in which most of it passed; "" where none is known
  std::int64_t ns = 0, gaps = 0;
  trace::Span longest;
};

// Why neighbouring kernels of a GPU did not overlap.
struct ConcurrencyLimit {
  std::string reason;       // "launched late", "the first fills the GPU", "same stream", "default stream", "dependency", "copy", "unknown"
  std::int64_t pairs = 0;
  std::int64_t ns = 0;      // the shorter of the two, summed: the most that the pairs could have run side by side
};

struct ConcurrencyReport {
  std::vector<ConcurrencyLimit> limits;  // by ns
  std::int64_t overlapping_pairs = 0;    // neighbours that did run side by side
  bool fill_known = false;               // false: sizes of the GPU were not captured, so "fills the GPU" could not be told
  // The most that more streams would win in the window: kernels that leave room and only follow each other on a stream, side by
  // side as far as the SMs hold them. A bound: which of them need each other's results is not recorded.
  std::int64_t streams_win_at_most_ns = 0;
};

// The parts of one step, or of several, on one GPU; they sum to the steps' time in the window, and so does the work.
struct StepParts {
  trace::Span span;
  std::int64_t steps = 1;
  std::vector<TimePart> parts;
  std::vector<TimePart> work{};  // by what ran, as of the device
};
inline constexpr std::size_t kMaxStepsListed = 200;

struct DeviceReport {
  trace::DeviceId device{};
  std::string name;
  bool used = false;  // ran anything in the trace
  std::optional<double> compute_utilization;  // at least one kernel runs / window
  std::optional<double> kernel_concurrency;   // at least two kernels run / at least one
  std::optional<double> copy_overlap;         // a copy and a kernel run together / a copy runs
  std::vector<TimePart> parts;                // empty where kernels or copies were not captured
  std::vector<TimePart> work{};               // the same window by what ran, computation by class (work_parts.h); empty like parts
  std::vector<IdlePart> idle{};               // by time; sums to the idle parts; empty where the trace cannot be replayed
  std::optional<ConcurrencyReport> concurrency;  // nullopt: no kernels captured, or none in the window
  std::vector<StepParts> steps;               // of the window, in order; the last one stands for all the rest where there are more
                                              // than kMaxStepsListed; empty without steps
};

struct KernelReport {
  std::string name;       // demangled in full, as in the trace
  std::string label;      // short, for a table
  std::string explained;  // what it does
  std::string op_class;   // "matmul", "convolution", ...
  std::int64_t calls = 0, total_ns = 0;
  double share = 0;  // of all kernel time
};

struct CopyReport {
  std::string direction;  // "host to device"
  std::string memory;     // of the host side: "pageable", "pinned"; "device" between GPUs
  std::int64_t count = 0, bytes = 0, total_ns = 0;
  double gbps = 0;                   // 1e9 bytes per second while copying, and `bytes`: of the copies whose size was captured; 0: none was
  std::optional<double> link_gbps;   // what the link could do
  std::string link_source;           // "recorded link", "best seen", ...
  std::optional<double> share_of_step;
};

struct PathPart {
  std::string what;  // "kernels: convolution", "host between calls"
  std::int64_t ns = 0;
};

// The longest chain of work that waited for each other, through all GPUs and host threads: only what is on it can shorten a step.
struct CriticalPath {
  struct Step {
    std::size_t step = 0;  // of steps.spans
    std::int64_t ns = 0;   // of the path that lies in it
    PathPart largest;
  };
  struct Near {
    std::string who;            // "GPU 1", "thread 1003"
    std::int64_t float_ns = 0;  // how much later its work of a step could end without the step ending later: the median of the steps
  };
  std::vector<PathPart> parts;  // in the window, by time; sums to the path's length
  std::vector<Step> steps;      // at most 200
  std::vector<Near> near;       // the nearest first, at most 32
};

// Copies of one GPU over its link to the host: one direction, one kind of host memory, one class of size. Times are sums over copies.
struct LinkUse {
  trace::DeviceId device{};
  std::string direction;    // "host to device"
  std::string memory;       // of the host side: "pageable", "pinned"
  std::string size;         // "below 64 KiB", "64 KiB to 1 MiB", "1 to 16 MiB", "from 16 MiB", "not captured"
  std::int64_t count = 0, bytes = 0, total_ns = 0;
  std::optional<std::int64_t> exposed_ns;  // of total_ns: no kernel ran on that GPU meanwhile
  std::int64_t beside_ns = 0;              // of total_ns: another GPU copied in the same direction, over the same uplink where links were recorded
  std::optional<double> gbps;              // nullopt where the sizes were not captured
  std::optional<double> link_gbps;         // what the link could do
  std::string link_source;                 // "recorded: PCIe 3.0 x8", "the rate of a PCIe 4.0 x16 link", "best seen"
  int shared_by = 1;                       // GPUs that copy in that direction behind the uplink that leaves each the least
  std::optional<double> shared_gbps;       // what is left for each of them when all copy at once
  std::optional<double> of_others;         // rate / median rate of like copies of the other GPUs
};

struct PeerLink {  // copies from one GPU to another
  trace::DeviceId from{}, to{};
  std::int64_t count = 0, bytes = 0, total_ns = 0;
  std::optional<double> gbps;       // of all its copies
  std::optional<double> best_gbps;  // the fastest one that is large enough for the link to set its time
  std::string kind;                 // "NVLink 2.0 x2", "PCIe 3.0 x16", "PCIe", "unknown"
  std::string source;               // of the kind: "recorded", "inferred", "best seen"
  std::optional<double> link_gbps;  // what that link could do, one direction; the fastest copy where neither record nor kind tells
};

struct LinkFault {  // a GPU whose copies to and from the host are slower than like copies of the other GPUs
  trace::DeviceId device{};
  std::string kind;  // "narrow link", "far socket", "slow link"
  std::string text;  // a sentence, with the figures
  std::optional<double> to_device_factor, from_device_factor;  // the others' median rate / its own; nullopt: cannot be compared
};

struct LinkRoofline {
  std::vector<LinkUse> uses;      // by total time; at most kMaxLinkRows
  std::vector<PeerLink> peers;    // by total time; at most kMaxLinkRows
  std::vector<LinkFault> faults;  // by device
  std::size_t left_out = 0;       // rows that the limit cut off, those of the least time
};
inline constexpr std::size_t kMaxLinkRows = 200;

// What the run is nearest to being held back by, once nothing is wrong with it.
struct NearestBound {
  std::string kind;      // "compute", "memory", "link", "communication"; "" where nothing can be said
  double share = 0;      // of the window that the bound is reached
  std::string sentence;  // what it is, and how far the run is from it
};

struct Answer {  // to a question that people ask of a training run
  std::string question, answer;
};

struct ChangedThreshold {
  const Threshold* threshold = nullptr;
  double value = 0;
};

struct Diagnosis {
  std::string file, producer, machine;
  bool simulated = false;
  trace::Span window;          // the figures below are of this window: the steps after warm-up, else the whole trace
  trace::Span trace_span;
  bool complete = true;
  std::string incomplete_why;
  std::int64_t dropped = 0;
  std::vector<std::string> not_captured;
  std::vector<trace::Diagnostic> diagnostics;
  Steps steps;
  std::vector<DeviceReport> devices;
  std::vector<KernelReport> kernels;  // by total time
  std::vector<CopyReport> copies;     // by total time
  std::optional<CriticalPath> critical_path;  // nullopt: the trace does not say what waited for what
  double all_remedies_speedup = 1;    // with the remedies of all findings that none explains, replayed together; 1: fewer than two
  std::vector<Finding> findings;      // found first, by recoverable time; then could_not_look; then nothing
  LinkRoofline links;
  NearestBound nearest_bound;
  std::vector<Answer> answers;        // of those that this trace can answer
  std::vector<ChangedThreshold> changed_thresholds;  // by the user's settings
  ChartData charts;
};

}  // namespace gputrace::analyzer
