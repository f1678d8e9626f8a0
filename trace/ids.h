// Ids that cannot be mixed up. Each is a plain integer in memory.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace gputrace::trace {

template <class Tag, class Rep>
struct Id {
  using rep = Rep;
  Rep value{};
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using DeviceId = Id<struct DeviceTag, std::int32_t>;            // CUDA ordinal, as the CUPTI record gives it
using ContextId = Id<struct ContextTag, std::int32_t>;
using StreamId = Id<struct StreamTag, std::int32_t>;
using CorrelationId = Id<struct CorrelationTag, std::int64_t>;  // unique per process; 0: none
using StringId = Id<struct StringTag, std::uint32_t>;           // into Trace::strings; 0 is the empty string
using ProcessIndex = Id<struct ProcessTag, std::int32_t>;       // into Trace::processes; -1: unknown
using ThreadIndex = Id<struct ThreadTag, std::int32_t>;         // into Trace::threads; -1: unknown

}  // namespace gputrace::trace

template <class Tag, class Rep>
struct std::hash<gputrace::trace::Id<Tag, Rep>> {
  std::size_t operator()(gputrace::trace::Id<Tag, Rep> id) const noexcept { return std::hash<Rep>{}(id.value); }
};
