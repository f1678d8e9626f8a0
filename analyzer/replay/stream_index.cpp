#include "analyzer/replay/stream_index.h"

#include <algorithm>

namespace gputrace::analyzer {
namespace {

// A stream runs its work in the order in which it was asked for, so launches are in order too.
std::vector<StreamWork>::const_iterator first_at_or_after(const std::vector<StreamWork>& activities, std::int64_t host_ns) {
  return std::lower_bound(activities.begin(), activities.end(), host_ns,
                          [](const StreamWork& activity, std::int64_t ns) { return activity.launch_ns < ns; });
}

}  // namespace

const StreamWork* StreamIndex::last_launched_before(const StreamKey& key, std::int64_t host_ns) const {
  const auto stream = streams_.find(key);
  if (stream == streams_.end()) return nullptr;
  const auto next = first_at_or_after(stream->second, host_ns);
  return next == stream->second.begin() ? nullptr : &*std::prev(next);
}

const StreamWork* StreamIndex::first_launched_after(const StreamKey& key, std::int64_t host_ns) const {
  const auto stream = streams_.find(key);
  if (stream == streams_.end()) return nullptr;
  const auto next = first_at_or_after(stream->second, host_ns);
  return next == stream->second.end() ? nullptr : &*next;
}

std::vector<const StreamWork*> StreamIndex::last_of_context(std::int32_t process, std::int32_t context, std::int64_t host_ns) const {
  std::vector<const StreamWork*> last;
  for (const auto& [key, activities] : streams_) {
    if (key.process != process || key.context != context) continue;
    if (const StreamWork* activity = last_launched_before(key, host_ns)) last.push_back(activity);
  }
  return last;
}

}  // namespace gputrace::analyzer
