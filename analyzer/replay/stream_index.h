// The activities of each stream in the order in which it ran them, with the moment the host asked for each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "analyzer/replay/dependency_graph.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct StreamWork {
  Task task = 0;
  std::int64_t start_ns = 0, end_ns = 0;
  std::int64_t launch_ns = 0;   // start of the call that asked for it; its own start where no call was captured
  std::optional<Task> call;
};

struct StreamKey {
  std::int32_t process = -1, device = 0, context = 0, stream = 0;
  friend auto operator<=>(const StreamKey&, const StreamKey&) = default;
};

class StreamIndex {
 public:
  // In the order of start, per stream.
  void add(const StreamKey& key, const StreamWork& activity) { streams_[key].push_back(activity); }
  const std::map<StreamKey, std::vector<StreamWork>>& streams() const { return streams_; }

  // The last activity of a stream that the host asked for before an instant; nullptr where there is none.
  const StreamWork* last_launched_before(const StreamKey& key, std::int64_t host_ns) const;
  // The first one asked for at or after it.
  const StreamWork* first_launched_after(const StreamKey& key, std::int64_t host_ns) const;
  // Of a whole context: the last of each of its streams.
  std::vector<const StreamWork*> last_of_context(std::int32_t process, std::int32_t context, std::int64_t host_ns) const;

 private:
  std::map<StreamKey, std::vector<StreamWork>> streams_;
};

}  // namespace gputrace::analyzer
