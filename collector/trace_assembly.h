// What the spools of one recording share on their way into one trace: the writer, the names of kernels, and the
// accounts that end up in the trace's metadata.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/link_topology.h"
#include "trace/trace_writer.h"

namespace gputrace::collector {

struct KernelNameIds {
  trace::FileStringId name = 0, short_name = 0, mangled = 0;
};

class TraceAssembly {
 public:
  explicit TraceAssembly(trace::TraceWriter& its_writer) : writer(its_writer) {}

  KernelNameIds kernel_name(const std::string& mangled);
  void count(const std::string& what, std::int64_t by = 1) { if (by != 0) diagnostics_[what] += by; }
  void note(const std::string& text);                 // for people; each once
  void cut_short(std::string why);                    // the trace is not complete
  void add_gpu(std::int64_t pid, trace::Gpu gpu);     // written by finish(), when its bus is known
  void name_thread(std::uint64_t global_tid, std::string name, int priority);  // the highest priority wins

  // What another, of a part of the same trace, has gathered, as if it had been gathered here after what is here.
  void take_over(TraceAssembly&& part);

  // Writes what was gathered; fills the metadata apart from producer and time.
  void finish(trace::Metadata& metadata);

  trace::TraceWriter& writer;
  LinkTopology topology;
  std::int64_t records = 0;
  std::int64_t dropped_records = 0;
  std::int64_t cut_events = 0;  // outside the capture windows, as asked for
  std::map<std::string, std::string> provider;  // what CUPTI said of itself
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Name {
    std::string text;
    int priority = -1;
  };
  std::unordered_map<std::string, KernelNameIds> names_;
  std::map<std::string, std::int64_t> diagnostics_;
  std::vector<std::string> notes_;
  std::vector<std::string> why_incomplete_;
  std::vector<std::pair<std::int64_t, trace::Gpu>> gpus_;  // pid
  std::map<std::uint64_t, Name> threads_;
};

}  // namespace gputrace::collector
