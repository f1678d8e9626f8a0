// What the trace says of waiting across streams and from the host: records of events, waits for them, blocking calls.
#pragma once

#include <string>
#include <vector>

#include "analyzer/replay/stream_index.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// Pairs (who waits, for what), by who waits.
class TaskPairs {
 public:
  void add(Task who, Task what) { pairs_.push_back({who, what}); }
  void sort();
  // Calls visit(what) for each of `who`, which must not be less than in the call before.
  template <class Visit>
  void visit_next(Task who, Visit visit) {
    while (next_ < pairs_.size() && pairs_[next_].who < who) ++next_;
    for (; next_ < pairs_.size() && pairs_[next_].who == who; ++next_) visit(pairs_[next_].what);
  }

 private:
  struct Pair {
    Task who, what;
  };
  std::vector<Pair> pairs_;
  std::size_t next_ = 0;
};

struct RecordedWaits {
  TaskPairs events;        // an activity -> what its stream waited for before it, by an event
  TaskPairs default_stream;  // an activity -> the one of the default stream, or of a blocking one, that it follows
  TaskPairs event_threads; // a call that has a stream wait for an event -> the call of another thread that recorded it
  TaskPairs blocking;      // a call -> activities that ended while it ran and that it waited for
  TaskPairs would_block;   // a call that synchronizes -> activities that it asks about and that were over when it began
  std::vector<std::string> unknown;
};

RecordedWaits find_recorded_waits(const trace::Trace& trace, const TaskTable& tasks, const StreamIndex& index);

}  // namespace gputrace::analyzer
