// Discrete-event time. Host threads are threads of the operating system, because NVTX and CUPTI records name them, but
// only one runs at a time: it holds the baton. A thread that waits hands the baton to whoever comes first in modelled
// time, so neither the real scheduler nor the machine's load can change a result, and no wall clock is read.
// All state is owned by the baton holder; there are no locks.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace trainer::virtual_box {

class Scheduler {
 public:
  struct HostThread;

  explicit Scheduler(std::int64_t start_ns);  // the calling thread becomes the first host thread
  ~Scheduler();                               // on that thread, with no other one in run_threads; drops pending events
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Calls event at time_ns (or now, if that is past). Events of one time run in the order they were added, before host threads.
  void at(std::int64_t time_ns, std::function<void()> event);

  // The calling host thread's clock; inside an event, its time; on a thread that is none, the latest time anything reached.
  std::int64_t now_ns() const;

  HostThread& current() const;             // the calling host thread
  void wait_until(std::int64_t time_ns);   // the caller's clock moves on; others run first where they are earlier
  void park();                             // until release
  void release(HostThread& thread, std::int64_t time_ns);
  void run_until_idle();                   // all pending events, as when a process waits for its GPUs at exit

  // As Backend::run_threads. A name's thread is kept and used again, so a trace shows one row per name.
  void run_threads(const std::vector<std::pair<std::string, std::function<void()>>>& named_threads);

 private:
  struct Event {
    std::int64_t time_ns;
    std::uint64_t order;
    std::function<void()> action;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.order > b.order;
    }
  };

  HostThread* first_runnable() const;
  HostThread& next_to_run();
  void run_first_event();
  void hand_over();
  void reach(std::int64_t time_ns);
  HostThread& idle_thread(const std::string& name);
  void serve(HostThread& thread);
  void finish_body(HostThread& thread);

  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::uint64_t event_order_ = 0;
  std::int64_t event_time_ns_ = -1;  // of the event that is running, else -1
  std::vector<std::unique_ptr<HostThread>> threads_;  // in order of creation
  std::atomic<std::int64_t> latest_ns_;
  bool stopping_ = false;
};

}  // namespace trainer::virtual_box
