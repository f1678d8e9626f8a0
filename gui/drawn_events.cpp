#include "gui/drawn_events.h"

#include <algorithm>

namespace gputrace::gui {

using trace::Table;

DrawnEvents::DrawnEvents(const trace::Trace& trace, const KernelNames& names)
    : trace_{trace}, trace_end_ns_{trace.span().end_ns} {
  const auto add = [&](Table table, const auto& rows) {
    columns(table).start_ns = &rows.start_ns;
    columns(table).end_ns = &rows.end_ns;
  };
  add(Table::kernels, trace.kernels);
  add(Table::copies, trace.copies);
  add(Table::fills, trace.fills);
  add(Table::graph_launches, trace.graph_launches);
  add(Table::api_calls, trace.api_calls);
  add(Table::overheads, trace.overheads);
  add(Table::nvtx, trace.nvtx);
  add_named(Table::kernels, trace.kernels.name, [&](trace::StringId name) { return names.category(name); });
  add_named(Table::api_calls, trace.api_calls.name, [&](trace::StringId name) { return api_category(trace.text(name)); });
  add_named(Table::nvtx, trace.nvtx.text, [&](trace::StringId name) { return range_category(trace.text(name)); });
}

template <class CategoryOf>
void DrawnEvents::add_named(Table table, const std::vector<trace::StringId>& name, CategoryOf category_of) {
  std::vector<Category>& categories = columns(table).category_of_name;
  categories.assign(trace_.strings.size(), Category::count);
  for (const trace::StringId id : name)
    if (categories[id.value] == Category::count) categories[id.value] = category_of(id);
  columns(table).name = &name;
}

std::int64_t DrawnEvents::open_end_ns(EventRef event) const { return std::max(trace_end_ns_, start_ns(event)); }

Category DrawnEvents::category_of_unnamed(EventRef event) const {
  const trace::Copies& copies = trace_.copies;
  const std::size_t row = event.row();
  switch (event.table()) {
    case Table::copies:
      return copy_category(copies.kind[row], copies.source_memory[row], copies.destination_memory[row]);
    case Table::fills:
      return Category::fill;
    case Table::graph_launches:
      return Category::graph_launch;
    default:
      return Category::overhead;
  }
}

}  // namespace gputrace::gui
