#include "trace/perfetto_arguments.h"

#include <algorithm>
#include <iterator>

namespace gputrace::trace::perfetto {
namespace {

// In the order of Number and of Text.
constexpr std::string_view kNumbers[] = {"device", "context", "stream", "correlation", "process", "registers per thread", "static shared memory",
                                         "dynamic shared memory", "graph node id", "bytes", "fromDevice", "toDevice", "color", "graph", "return value",
                                         "simulated", "complete", "dropped_records", "shift_ns", "numSms", "computeMajor", "computeMinor", "clockHz",
                                         "memoryBandwidthBytesPerSecond", "totalGlobalMem"};
constexpr std::string_view kTexts[] = {"grid", "block", "mangled", "domain", "category", "kind", "producer", "machine", "incomplete_why", "name", "uuid", "busLocation"};
static_assert(std::size(kNumbers) == static_cast<std::size_t>(Number::count) && std::size(kTexts) == static_cast<std::size_t>(Text::count));

template <class Key, std::size_t n>
Key find(const std::string_view (&names)[n], std::string_view name) {
  return static_cast<Key>(std::find(std::begin(names), std::end(names), name) - std::begin(names));  // the end is `count`
}

}  // namespace

ArgumentKey argument_key(std::string_view name) { return {find<Number>(kNumbers, name), find<Text>(kTexts, name)}; }

}  // namespace gputrace::trace::perfetto
