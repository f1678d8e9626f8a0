// When the rows of a trace begin and end as lanes draw them, and what they are drawn as. Reads the columns in place: a lane needs no
// copy of its events.
#pragma once

#include <array>
#include <vector>

#include "gui/category.h"
#include "gui/event_ref.h"
#include "gui/kernel_names.h"

namespace gputrace::gui {

class DrawnEvents {
 public:
  // Both must outlive this, unchanged.
  DrawnEvents(const trace::Trace& trace, const KernelNames& names);

  // Of tables that lanes are made of: kernels, copies, fills, graph launches, API calls, overheads and NVTX ranges. A range that is
  // still open goes on to the end of the trace.
  std::int64_t start_ns(EventRef event) const { return (*columns(event).start_ns)[event.row()]; }
  std::int64_t end_ns(EventRef event) const {
    const std::int64_t end_ns = (*columns(event).end_ns)[event.row()];
    return end_ns == trace::kNoEnd && event.table() == trace::Table::nvtx ? open_end_ns(event) : end_ns;
  }
  trace::Span span(EventRef event) const { return {start_ns(event), end_ns(event)}; }
  Category category(EventRef event) const {
    const Columns& of = columns(event);
    return of.name == nullptr ? category_of_unnamed(event) : of.category_of_name[(*of.name)[event.row()].value];
  }

 private:
  struct Columns {
    const std::vector<std::int64_t>*start_ns = nullptr, *end_ns = nullptr;
    const std::vector<trace::StringId>* name = nullptr;  // null: the category does not come from a name
    std::vector<Category> category_of_name;              // by string id; of names that the table has
  };
  const Columns& columns(EventRef event) const { return columns_[static_cast<std::size_t>(event.table())]; }
  Columns& columns(trace::Table table) { return columns_[static_cast<std::size_t>(table)]; }
  template <class CategoryOf>
  void add_named(trace::Table table, const std::vector<trace::StringId>& name, CategoryOf category_of);
  std::int64_t open_end_ns(EventRef event) const;
  Category category_of_unnamed(EventRef event) const;

  const trace::Trace& trace_;
  std::int64_t trace_end_ns_;
  std::array<Columns, static_cast<std::size_t>(trace::Table::count)> columns_;
};

}  // namespace gputrace::gui
