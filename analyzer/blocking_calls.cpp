#include "analyzer/blocking_calls.h"

#include <unordered_map>

namespace gputrace::analyzer {
namespace {

bool blocks(std::string_view name) {
  if (name.find("Synchronize") != std::string_view::npos) return true;
  const bool copy = name.find("Memcpy") != std::string_view::npos;
  return copy && name.find("Async") == std::string_view::npos;
}

}  // namespace

BlockingCalls::BlockingCalls(const trace::Trace& trace)
    : calls_(trace.api_calls), is_blocking_name_(trace.strings.size()), before_(trace.api_calls.size()) {
  std::vector<bool> is_known(trace.strings.size());
  std::unordered_map<trace::ThreadIndex, std::uint32_t> last;
  for (std::uint32_t call = 0; call < calls_.size(); ++call) {
    const trace::StringId name = calls_.name[call];
    if (!is_known[name.value]) {
      is_known[name.value] = true;
      is_blocking_name_[name.value] = blocks(trace.text(name));
    }
    const auto [entry, is_first] = last.try_emplace(calls_.thread[call], call);
    before_[call] = entry->second;
    entry->second = call;
  }
}

bool BlockingCalls::held_up(std::uint32_t call, std::int64_t after_ns) const {
  constexpr int kMostSteps = 64;  // short calls between the wait and the launch: event queries, launch configuration
  std::uint32_t at = call;
  for (int step = 0; step < kMostSteps && before_[at] != at; ++step) {
    at = before_[at];
    if (calls_.end_ns[at] <= after_ns) return false;
    if (is_blocking(at)) return true;
  }
  return false;
}

}  // namespace gputrace::analyzer
