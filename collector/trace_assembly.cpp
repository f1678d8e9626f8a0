#include "collector/trace_assembly.h"

#include <algorithm>

#include "collector/kernel_name.h"

namespace gputrace::collector {

namespace {
constexpr std::size_t kReasonsShown = 3;
}

KernelNameIds TraceAssembly::kernel_name(const std::string& mangled) {
  const auto [found, is_new] = names_.try_emplace(mangled);
  if (is_new) {
    const KernelName name = readable_name(mangled);
    found->second = {writer.intern(name.demangled), writer.intern(name.base), writer.intern(mangled)};
  }
  return found->second;
}

void TraceAssembly::note(const std::string& text) {
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
}

void TraceAssembly::cut_short(std::string why) { why_incomplete_.push_back(std::move(why)); }

void TraceAssembly::add_gpu(std::int64_t pid, trace::Gpu gpu) {
  for (const auto& [known_pid, known] : gpus_) {
    if (known_pid == pid && known.device == gpu.device) return;
  }
  gpus_.emplace_back(pid, std::move(gpu));
}

void TraceAssembly::name_thread(std::uint64_t global_tid, std::string name, int priority) {
  Name& known = threads_[global_tid];
  if (priority >= known.priority) known = {std::move(name), priority};
}

void TraceAssembly::take_over(TraceAssembly&& part) {
  for (const auto& [what, count] : part.diagnostics_) diagnostics_[what] += count;
  for (const std::string& text : part.notes_) note(text);
  for (std::string& why : part.why_incomplete_) cut_short(std::move(why));
  for (auto& [pid, gpu] : part.gpus_) add_gpu(pid, std::move(gpu));
  for (auto& [global_tid, name] : part.threads_) name_thread(global_tid, std::move(name.text), name.priority);
  for (auto& [key, value] : part.provider) provider[key] = std::move(value);
  topology.take_over(part.topology);
  records += part.records;
  dropped_records += part.dropped_records;
  cut_events += part.cut_events;
}

void TraceAssembly::finish(trace::Metadata& metadata) {
  for (auto& [pid, gpu] : gpus_) {
    gpu.bus_location = topology.bus_location(static_cast<std::uint32_t>(gpu.device.value));
    writer.add(trace::GpuRow{gpu, pid});
  }
  for (const trace::Link& link : topology.links()) writer.add(link);
  for (const auto& [global_tid, name] : threads_) {
    trace::Thread thread;
    thread.global_tid = global_tid;
    thread.tid = static_cast<std::int64_t>(global_tid & 0xFFFFFF);
    thread.name = name.text;
    writer.add(thread);
  }
  for (const auto& [what, count] : diagnostics_) writer.add(trace::Diagnostic{what, count});
  for (const std::string& note : notes_) writer.add(trace::Diagnostic{note, 1});
  for (const auto& [key, value] : provider) writer.capture_setting("PROVIDER_" + key, value);
  metadata.simulated = provider.contains("simulated") && provider.at("simulated") == "true";
  if (provider.contains("machine")) metadata.machine = provider.at("machine");
  metadata.dropped_records = dropped_records;
  metadata.complete = why_incomplete_.empty();
  for (std::size_t i = 0; i < std::min(why_incomplete_.size(), kReasonsShown); ++i) {
    metadata.incomplete_why += (i == 0 ? "" : "; ") + why_incomplete_[i];
  }
  if (why_incomplete_.size() > kReasonsShown) {
    metadata.incomplete_why += "; and " + std::to_string(why_incomplete_.size() - kReasonsShown) + " more";
  }
}

}  // namespace gputrace::collector
