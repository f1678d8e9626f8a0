// Names one row of one table of a trace in four bytes: the table in the top four bits, the row below.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/trace.h"

namespace gputrace::gui {

struct EventRef {
  static constexpr std::size_t kMaxRows = std::size_t{1} << 28;  // rows of a table that can be named
  std::uint32_t packed = UINT32_MAX;

  EventRef() = default;
  EventRef(trace::Table table, std::size_t row)
      : packed{static_cast<std::uint32_t>(table) << 28 | static_cast<std::uint32_t>(row)} {}
  bool valid() const { return packed != UINT32_MAX; }
  trace::Table table() const { return static_cast<trace::Table>(packed >> 28); }
  std::size_t row() const { return packed & (kMaxRows - 1); }
  friend bool operator==(const EventRef&, const EventRef&) = default;
};

}  // namespace gputrace::gui
