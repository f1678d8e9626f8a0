#include "trainer/virtual_box/scheduler.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <pthread.h>

namespace trainer::virtual_box {

struct Scheduler::HostThread {
  enum class State : std::uint8_t { runnable, parked, idle };
  std::string name;
  std::int64_t clock_ns = 0;
  State state = State::idle;
  std::binary_semaphore baton{0};
  std::function<void()> body;
  HostThread* parent = nullptr;  // that waits in run_threads
  int running_children = 0;
  std::int64_t joined_ns = 0;  // the latest end of a child
  std::thread os_thread;       // not of the first
};

namespace {

// Which host thread this thread is, per machine: a process may hold several.
thread_local std::vector<std::pair<const Scheduler*, Scheduler::HostThread*>> t_host_threads;

Scheduler::HostThread* host_thread_of(const Scheduler* scheduler) {
  for (const auto& [owner, thread] : t_host_threads)
    if (owner == scheduler) return thread;
  return nullptr;
}

// A misuse of the simulator or a bug in it; there is no state to go on with.
[[noreturn]] void fatal(const char* what) {
  std::fprintf(stderr, "virtual_box: %s\n", what);
  std::abort();
}

}  // namespace

Scheduler::Scheduler(std::int64_t start_ns) : latest_ns_(start_ns) {
  auto& main = *threads_.emplace_back(std::make_unique<HostThread>());
  main.name = "main";
  main.clock_ns = start_ns;
  main.state = HostThread::State::runnable;
  t_host_threads.emplace_back(this, &main);
}

Scheduler::~Scheduler() {
  stopping_ = true;
  for (auto& thread : threads_) {
    if (!thread->os_thread.joinable()) continue;
    thread->baton.release();
    thread->os_thread.join();
  }
  std::erase_if(t_host_threads, [this](const auto& entry) { return entry.first == this; });
}

void Scheduler::at(std::int64_t time_ns, std::function<void()> event) {
  events_.push({std::max(time_ns, latest_ns_.load(std::memory_order_relaxed)), event_order_++, std::move(event)});
}

std::int64_t Scheduler::now_ns() const {
  const HostThread* self = host_thread_of(this);
  if (!self) return latest_ns_.load(std::memory_order_relaxed);
  return event_time_ns_ >= 0 ? event_time_ns_ : self->clock_ns;
}

Scheduler::HostThread& Scheduler::current() const {
  HostThread* self = host_thread_of(this);
  if (!self) fatal("a call came from a thread that run_threads did not start");
  return *self;
}

void Scheduler::wait_until(std::int64_t time_ns) {
  HostThread& self = current();
  self.clock_ns = std::max(self.clock_ns, time_ns);
  hand_over();
}

void Scheduler::park() {
  current().state = HostThread::State::parked;
  hand_over();
}

void Scheduler::release(HostThread& thread, std::int64_t time_ns) {
  thread.clock_ns = std::max(thread.clock_ns, time_ns);
  thread.state = HostThread::State::runnable;
}

void Scheduler::run_until_idle() {
  while (!events_.empty()) run_first_event();
  wait_until(latest_ns_.load(std::memory_order_relaxed));
}

void Scheduler::run_threads(const std::vector<std::pair<std::string, std::function<void()>>>& named_threads) {
  if (named_threads.empty()) return;
  HostThread& self = current();
  self.running_children = static_cast<int>(named_threads.size());
  self.joined_ns = self.clock_ns;
  for (const auto& [name, body] : named_threads) {
    HostThread& child = idle_thread(name);
    child.body = body;
    child.parent = &self;
    child.clock_ns = self.clock_ns;
    child.state = HostThread::State::runnable;
  }
  park();
}

Scheduler::HostThread* Scheduler::first_runnable() const {
  HostThread* first = nullptr;
  for (const auto& thread : threads_)
    if (thread->state == HostThread::State::runnable && (!first || thread->clock_ns < first->clock_ns)) first = thread.get();
  return first;
}

// Runs the events that come before the earliest runnable thread, and names that thread.
Scheduler::HostThread& Scheduler::next_to_run() {
  for (;;) {
    HostThread* thread = first_runnable();
    if (!events_.empty() && (!thread || events_.top().time_ns <= thread->clock_ns)) {
      run_first_event();
      continue;
    }
    if (!thread) fatal("every host thread waits and nothing is left to happen");
    return *thread;
  }
}

void Scheduler::run_first_event() {
  const Event event = std::move(const_cast<Event&>(events_.top()));  // the queue has no other way to move out of it
  events_.pop();
  reach(event.time_ns);
  event_time_ns_ = event.time_ns;
  event.action();
  event_time_ns_ = -1;
}

void Scheduler::hand_over() {
  HostThread& self = current();
  HostThread& next = next_to_run();
  reach(next.clock_ns);
  if (&next == &self) return;
  next.baton.release();
  self.baton.acquire();
}

void Scheduler::reach(std::int64_t time_ns) {
  if (time_ns > latest_ns_.load(std::memory_order_relaxed)) latest_ns_.store(time_ns, std::memory_order_relaxed);
}

Scheduler::HostThread& Scheduler::idle_thread(const std::string& name) {
  for (auto& thread : threads_)
    if (thread->state == HostThread::State::idle && thread->name == name) return *thread;
  HostThread& thread = *threads_.emplace_back(std::make_unique<HostThread>());
  thread.name = name;
  thread.os_thread = std::thread([this, &thread] { serve(thread); });
  pthread_setname_np(thread.os_thread.native_handle(), name.substr(0, 15).c_str());  // Linux takes 15 characters
  return thread;
}

void Scheduler::serve(HostThread& thread) {
  t_host_threads.emplace_back(this, &thread);
  for (;;) {
    thread.baton.acquire();
    if (stopping_) return;
    thread.body();
    finish_body(thread);
  }
}

void Scheduler::finish_body(HostThread& thread) {
  thread.body = nullptr;
  HostThread& parent = *thread.parent;
  parent.joined_ns = std::max(parent.joined_ns, thread.clock_ns);
  thread.state = HostThread::State::idle;
  if (--parent.running_children == 0) release(parent, parent.joined_ns);
  HostThread& next = next_to_run();
  reach(next.clock_ns);
  next.baton.release();  // an idle thread can be next: its own baton then waits for it
}

}  // namespace trainer::virtual_box
