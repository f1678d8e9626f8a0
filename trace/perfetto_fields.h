// Field numbers of Perfetto's trace format, as its documentation gives them (perfetto.dev/docs/reference/trace-packet-proto),
// as far as gputrace reads or writes them.
#pragma once

#include <cstdint>

namespace gputrace::trace::perfetto {

namespace trace {
inline constexpr std::uint32_t kPacket = 1;
}
namespace packet {
inline constexpr std::uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInternedData = 12,
                               kSequenceFlags = 13, kClock = 58, kDefaults = 59, kTrackDescriptor = 60;
inline constexpr std::uint32_t kStateCleared = 1, kNeedsState = 2;  // of kSequenceFlags
}  // namespace packet
namespace defaults {
inline constexpr std::uint32_t kTrackEvent = 11, kClock = 58;
inline constexpr std::uint32_t kTrackUuid = 11;  // of kTrackEvent
}  // namespace defaults
namespace snapshot {
inline constexpr std::uint32_t kClocks = 1, kId = 1, kTime = 2, kIsIncremental = 3, kUnitNs = 4;
}
namespace descriptor {
inline constexpr std::uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8, kStaticName = 10;
inline constexpr std::uint32_t kProcessPid = 1, kProcessName = 6;
inline constexpr std::uint32_t kThreadPid = 1, kThreadTid = 2, kThreadName = 5;
inline constexpr std::uint32_t kCounterCategories = 2, kCounterUnit = 3, kCounterUnitMultiplier = 4, kCounterIsIncremental = 5, kCounterUnitName = 6;
}  // namespace descriptor
namespace event {
inline constexpr std::uint32_t kCategoryIds = 3, kAnnotations = 4, kType = 9, kNameId = 10, kTrackUuid = 11, kCategories = 22,
                               kName = 23, kCounterValue = 30, kFlowIdsOld = 36, kDoubleCounterValue = 44, kFlowIds = 47;
inline constexpr std::uint32_t kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4;  // of kType
}  // namespace event
namespace annotation {
inline constexpr std::uint32_t kNameId = 1, kBool = 2, kUint = 3, kInt = 4, kDouble = 5, kString = 6, kName = 10, kStringId = 17;
}
namespace interned {
inline constexpr std::uint32_t kCategories = 1, kEventNames = 2, kAnnotationNames = 3, kAnnotationStrings = 29;
inline constexpr std::uint32_t kId = 1, kText = 2;
}  // namespace interned

}  // namespace gputrace::trace::perfetto
