// The switch by which `record --capture-signal` starts and stops the capture in all processes of a recording: a small file that
// `record` creates and they map. The signal goes to `record`, so no handler of the host's is touched and none is added.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace gputrace::spool {

inline constexpr const char* kSwitchFile = "capture.switch";  // in the spool folder

struct CaptureSwitchPage {
  static constexpr std::uint64_t kMagic = 0x4843544957535447;  // "GTSWITCH"
  std::uint64_t magic = kMagic;
  std::atomic<std::uint32_t> flips{0};  // odd: capture. A futex that crosses processes
  std::uint32_t reserved = 0;
};
static_assert(sizeof(CaptureSwitchPage) == 16 && std::atomic<std::uint32_t>::is_always_lock_free);

// Async-signal-safe.
inline void flip(CaptureSwitchPage& page) noexcept {
  page.flips.fetch_add(1);
  syscall(SYS_futex, &page.flips, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// Returns when the switch is no longer at `seen`, after `most` at the latest, or for no reason.
inline void wait_for_flip(CaptureSwitchPage& page, std::uint32_t seen, const timespec& most) noexcept {
  syscall(SYS_futex, &page.flips, FUTEX_WAIT, seen, &most, nullptr, 0);
}

}  // namespace gputrace::spool
