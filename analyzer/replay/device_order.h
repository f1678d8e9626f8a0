// What activities on a GPU follow: their launch, the activity before on the stream, events, the copy engine or the room that another
// kernel made, the other parts of a collective.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "analyzer/replay/collectives.h"
#include "analyzer/replay/edge_writer.h"
#include "analyzer/replay/recorded_waits.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// Told of every activity and meeting in the order of tasks; writes the edges to its start and to its end.
class DeviceOrder {
 public:
  DeviceOrder(const trace::Trace& trace, const TaskTable& tasks, const StreamIndex& index, const std::vector<Collective>& collectives,
              RecordedWaits& waits);

  void write_start(Task activity, EdgeWriter& edges);
  void write_end(Task activity, EdgeWriter& edges) const;
  void write_meeting(Task meeting, EdgeWriter& edges) const;

 private:
  int engine(Task task) const;
  void add_engine_wait(Task task);
  void write_waits(Task task, EdgeWriter& edges);
  std::int64_t earliest_ns(const Edge& wait) const { return tasks_.recorded_ns[wait.from] + wait.lag_ns; }

  const trace::Trace& trace_;
  const TaskTable& tasks_;
  const StreamIndex& index_;
  const std::vector<Collective>& collectives_;
  TaskPairs& event_waits_;
  TaskPairs& default_stream_waits_;
  std::int64_t launch_ns_;                                           // the least from a call to what it asked for
  std::vector<Task> before_on_stream_;                               // by task
  std::map<std::tuple<std::int32_t, int>, Task> last_on_engine_;     // by device and engine
  std::vector<Task> meeting_of_, of_kernel_;                          // by task, by row of kernels; empty without collectives
  std::vector<Edge> waits_;                                          // of the activity at hand; kept for its memory
};

}  // namespace gputrace::analyzer
