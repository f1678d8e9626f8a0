#include "collector/nvtx_pairing.h"

namespace gputrace::collector {

NvtxPairing::Stack& NvtxPairing::stack_of(std::uint64_t global_tid, std::int64_t domain) {
  return stacks_[global_tid][domain];
}

// Closes what still stands at `level` or deeper: its pop was dropped, and it ended at `time_ns` at the latest.
void NvtxPairing::close_from(Stack& stack, std::uint16_t level, std::int64_t time_ns) {
  for (; !stack.empty() && stack.back().level >= level; stack.pop_back(), ++begins_without_end_) {
    close(stack.back().row, {stack.back().row.global_tid, time_ns, {}});
  }
}

void NvtxPairing::close(trace::NvtxRow row, const End& end) {
  row.end_ns = end.time_ns;
  if (end.global_tid != row.global_tid) row.end_global_tid = end.global_tid;
  row.binary += end.payload;
  emit_(row);
}

void NvtxPairing::push(const trace::NvtxRow& row, std::uint16_t level) {
  Stack& stack = stack_of(row.global_tid, row.domain);
  close_from(stack, level, row.start_ns);
  stack.push_back({row, level});
}

void NvtxPairing::pop(std::uint64_t global_tid, std::int64_t domain, std::uint16_t level, std::int64_t time_ns,
                      std::string_view payload) {
  Stack& stack = stack_of(global_tid, domain);
  if (level != UINT16_MAX) close_from(stack, static_cast<std::uint16_t>(level + 1), time_ns);
  if (stack.empty() || stack.back().level != level) {
    ++ends_without_begin_;
    return;
  }
  close(stack.back().row, {global_tid, time_ns, std::string(payload)});
  stack.pop_back();
}

void NvtxPairing::start(const trace::NvtxRow& row) {
  const auto range = static_cast<std::uint64_t>(row.range_id);
  if (const auto ended = early_ends_.extract(range)) return close(row, ended.mapped());
  started_.insert_or_assign(range, row);
}

void NvtxPairing::end(std::uint64_t range, std::uint64_t global_tid, std::int64_t time_ns, std::string_view payload) {
  if (const auto begun = started_.extract(range)) return close(begun.mapped(), {global_tid, time_ns, std::string(payload)});
  early_ends_.insert_or_assign(range, End{global_tid, time_ns, std::string(payload)});
}

void NvtxPairing::thread_begins(std::uint64_t global_tid) {
  const auto old = stacks_.extract(global_tid);
  if (!old) return;
  for (const auto& [domain, stack] : old.mapped()) {
    for (const Open& open : stack) emit_(open.row);
  }
}

void NvtxPairing::finish() {
  for (const auto& [tid, domains] : stacks_) {
    for (const auto& [domain, stack] : domains) {
      for (const Open& open : stack) emit_(open.row);
    }
  }
  for (const auto& [range, row] : started_) emit_(row);
  stacks_.clear();
  started_.clear();
}

}  // namespace gputrace::collector
