// Streams: queues of commands that run one after another. A command begins when the one before it is done, when the GPU
// has seen it, and when the points of other streams that it waits for are reached.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "trainer/virtual_box/scheduler.h"

namespace trainer::virtual_box {

// Reached when the first `sequence` commands of the stream are done; 0 is reached from the beginning.
struct StreamPoint {
  int stream = 0;
  std::uint64_t sequence = 0;
};

// Hands a command to what executes it, which calls `finished` at the modelled time at which it is done.
using Begin = std::function<void(std::function<void()> finished)>;

class Streams {
 public:
  Streams(Scheduler& scheduler, std::uint64_t queue_limit) : scheduler_(scheduler), queue_limit_(queue_limit) {}

  int add();
  StreamPoint submit(int stream, std::int64_t visible_ns, std::vector<StreamPoint> after, Begin begin);
  StreamPoint last(int stream) const;  // the end of what was submitted so far
  bool reached(const StreamPoint& point) const;
  bool full(int stream) const;         // submitted and not done: as many as a launch queue holds

  void park_until(const StreamPoint& point);  // the calling host thread
  void park_while_full(int stream);

 private:
  struct Command {
    std::int64_t visible_ns;
    std::vector<StreamPoint> after;
    Begin begin;
  };
  struct Stream {
    std::deque<Command> queue;  // the first may be running
    std::uint64_t submitted = 0, done = 0;
    bool running = false;
  };
  struct Waiter {
    Scheduler::HostThread* thread;
    StreamPoint point;
  };
  void begin_if_ready(int stream);
  void finish(int stream);

  Scheduler& scheduler_;
  std::uint64_t queue_limit_;
  std::vector<Stream> streams_;
  std::vector<Waiter> waiters_;  // in the order in which they came
};

}  // namespace trainer::virtual_box
