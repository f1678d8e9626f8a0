#include "analyzer/answers.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

const Finding* finding_of(const Diagnosis& diagnosis, std::string_view rule) {
  const auto found = std::find_if(diagnosis.findings.begin(), diagnosis.findings.end(), [&](const Finding& it) { return it.rule == rule; });
  return found == diagnosis.findings.end() ? nullptr : &*found;
}

const Finding* found_of(const Diagnosis& diagnosis, std::string_view rule) {
  const Finding* finding = finding_of(diagnosis, rule);
  return finding != nullptr && finding->verdict == Verdict::found ? finding : nullptr;
}

std::string speedup(const Finding& finding) { return fmt::format("{:.2f}x", finding.predicted_speedup); }

// Why is the GPU not busy, and would several streams help?
void add_utilization(std::vector<Answer>& all, const Diagnosis& diagnosis) {
  const Finding* low = found_of(diagnosis, "low-compute-utilization");
  if (low == nullptr) return;
  std::string text = low->title + ". " + low->why;
  if (const Finding* streams = found_of(diagnosis, "low-kernel-concurrency"); streams != nullptr) {
    text += " Several streams can run on one GPU. " + streams->why;
  } else if (const Finding* asked = finding_of(diagnosis, "low-kernel-concurrency"); asked != nullptr && asked->verdict == Verdict::nothing) {
    text += " Several streams can run on one GPU, and would not help: its kernels leave it too little room.";
  }
  all.push_back({"Why is GPU utilization low, and would several streams on one GPU help?", text});
}

// Can the update of the weights run beside the next forward pass?
void add_update(std::vector<Answer>& all, const Diagnosis& diagnosis) {
  const Finding* update = finding_of(diagnosis, "weight-update-blocks-forward");
  if (update == nullptr || update->verdict == Verdict::could_not_look || update->why.empty()) return;
  std::string text = update->verdict == Verdict::found ? fmt::format("Yes, for {}. ", speedup(*update)) : "";
  text += update->why;
  all.push_back({"Can the update of the weights overlap the next batch's forward pass?", text});
}

// What do the kernels' names say?
void add_names(std::vector<Answer>& all, const Diagnosis& diagnosis) {
  constexpr double kFromShare = 0.1;  // smaller kernels are explained by `gputrace explain`
  std::string text;
  for (const KernelReport& kernel : diagnosis.kernels) {
    if (kernel.share < kFromShare || kernel.explained.find("TensorAssignOp") == std::string::npos) continue;
    text += fmt::format("{}{} ({} of kernel time)", text.empty() ? "" : ", ", kernel.label, percent(kernel.share));
  }
  if (text.empty()) return;
  all.push_back({"What do these kernel signatures mean?",
                 "They are " + text + ". The assignment at the root of each expression only writes the result; what is assigned names the work. The second template argument of "
                 "TensorMap is the alignment of a view, not a kernel. Below the table of kernels each is explained."});
}

// Which layout, and which normalization?
void add_layout(std::vector<Answer>& all, const Diagnosis& diagnosis) {
  const bool convolves = std::any_of(diagnosis.kernels.begin(), diagnosis.kernels.end(), [](const KernelReport& it) { return it.op_class == "convolution"; });
  if (!convolves) return;
  const Finding* layout = finding_of(diagnosis, "layout-conversions");
  const Finding* norm = finding_of(diagnosis, "unfused-normalization");
  if (layout == nullptr || norm == nullptr) return;
  const bool converts = layout->verdict == Verdict::found, unfused = norm->verdict == Verdict::found;
  if (!converts && !unfused) return;
  std::string text;
  if (converts) text += fmt::format("One layout throughout, the one that the convolutions take: changing it back and forth costs {}. ", percent(1 - 1 / layout->predicted_speedup));
  if (unfused) text += fmt::format("A fused batch norm in that layout: the separate kernels cost {}. ", percent(1 - 1 / norm->predicted_speedup));
  text += "In single precision NCHW needs no conversions and has the fused kernel; in half precision, on tensor cores, NHWC.";
  all.push_back({"Which layout, and which batch norm?", text});
}

bool joined_by_nvlink(const trace::Trace& trace) {
  return std::any_of(trace.links.begin(), trace.links.end(), [](const trace::Link& link) { return link.kind == trace::LinkKind::nvlink; });
}

// What do copies over PCIe cost, and what helps without NVLink?
void add_pcie(std::vector<Answer>& all, const Diagnosis& diagnosis, const trace::Trace& trace, const Metrics& metrics) {
  const DeviceMetrics* most = nullptr;
  for (const DeviceMetrics& device : metrics.devices)
    if (most == nullptr || device.exposed_host_copy_ns > most->exposed_host_copy_ns) most = &device;
  const auto window_ns = static_cast<double>(metrics.window.duration_ns());
  if (most == nullptr || window_ns <= 0 || joined_by_nvlink(trace) || static_cast<double>(most->exposed_host_copy_ns) < thresholds::kInfoShare * window_ns) return;
  double bytes = 0, ns = 0, count = 0;
  for (const CopyReport& copy : diagnosis.copies) {
    if (copy.direction != "host to device" && copy.direction != "device to host") continue;
    bytes += static_cast<double>(copy.bytes);
    ns += static_cast<double>(copy.total_ns);
    count += static_cast<double>(copy.count);
  }
  std::string text = fmt::format("{:.0f} copies {} move {} between the host and all GPUs at {}; on GPU {} {} of {} are copies that no kernel hides. ", count / metrics.step_count,
                                 per_step(metrics), gigabytes(bytes / metrics.step_count), gigabytes_per_second(ns > 0 ? bytes * 1e9 / ns : 0), most->device.value,
                                 percent(static_cast<double>(most->exposed_host_copy_ns) / window_ns), step_word(metrics));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kHelps{{{"pageable-copies", "copies from pinned memory"},
                                                                                 {"tiny-copies", "fewer and larger copies"},
                                                                                 {"copies-not-overlapped", "the next input copied while this step computes"},
                                                                                 {"gradients-reduced-on-host", "an all-reduce between the GPUs instead of the host"},
                                                                                 {"weight-update-blocks-forward", "the update beside the next forward pass"}}};
  std::string helps;
  for (const auto& [rule, words] : kHelps)
    if (const Finding* finding = found_of(diagnosis, rule)) helps += fmt::format("{}{} ({})", helps.empty() ? "" : ", ", words, speedup(*finding));
  text += helps.empty() ? "Of what helps without NVLink nothing would win 1 % here. " : "What helps here without NVLink: " + helps + ". ";
  text += "In general: fewer and larger copies, from pinned memory, overlapped with computing; all-reduce instead of sums on the host; and an input that is split "
          "before it is fed, so that each GPU gets its own part only.";
  all.push_back({"What do copies over PCIe cost, and what helps without NVLink?", text});
}

}  // namespace

std::vector<Answer> answers(const Diagnosis& diagnosis, const trace::Trace& trace, const Metrics& metrics) {
  std::vector<Answer> all;
  if (diagnosis.kernels.empty() || metrics.steps.spans.empty()) return all;
  add_utilization(all, diagnosis);
  add_update(all, diagnosis);
  add_names(all, diagnosis);
  add_layout(all, diagnosis);
  add_pcie(all, diagnosis, trace, metrics);
  return all;
}

}  // namespace gputrace::analyzer
