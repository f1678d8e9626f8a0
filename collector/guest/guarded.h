// The wall between our code and the host: nothing is thrown through it. Every exported function, callback and thread
// body runs its work in guarded(); what throws switches recording off for good and leaves the host alone.
#pragma once

namespace gputrace::guest {

void switch_off(const char* where) noexcept;  // session.cpp

template <class Work>
void guarded(const char* where, Work&& work) noexcept {
  try {
    work();
  } catch (...) {  // no cancellation point stands inside `work` on a host's thread, so this is never a forced unwind
    switch_off(where);
  }
}

}  // namespace gputrace::guest
