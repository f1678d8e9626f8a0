#include "collector/guest/helper_thread.h"

#include <pthread.h>
#include <signal.h>

#include <cstddef>

namespace gputrace::guest {

namespace {
constexpr std::size_t kStackBytes = 4 << 20;  // CUPTI and the driver run on it while flushing
}

bool start_thread(void* (*body)(void*), void* argument, const char* name) noexcept {
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, body, argument) == 0;
  if (started) pthread_setname_np(thread, name);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace gputrace::guest
