#include "gui/viewer.h"

#include <algorithm>
#include <utility>

#include "gui/comparison.h"
#include "gui/event_text.h"
#include "gui/time_math.h"

namespace gputrace::gui {
namespace {

void open_parents(Viewer& viewer, std::size_t lane) {
  viewer.lanes[lane].collapsed = false;
  for (int parent = viewer.session.timeline.lanes[lane].parent; parent >= 0;
       parent = viewer.session.timeline.lanes[static_cast<std::size_t>(parent)].parent)
    viewer.lanes[static_cast<std::size_t>(parent)].collapsed = false;
}

bool in_view(const View& view, trace::Span span) {
  const trace::Span shown = view.span();
  return span.start_ns >= shown.start_ns && span.end_ns <= shown.end_ns &&
         static_cast<double>(distance_ns(span.start_ns, span.end_ns)) > view.width_ns / 500;
}

}  // namespace

Viewer::Viewer(const Session& opened, Look& drawn_with)
    : session{opened},
      look{drawn_with},
      view{View::whole(opened.timeline.span)},
      lanes(opened.timeline.lanes.size()),
      marks{read_marks(opened.trace.metadata.file)} {
  constexpr std::ptrdiff_t kGpusWithGraphsOpen = 2;  // of more only the first curve shows at first
  const auto& all = opened.timeline.lanes;
  const auto gpus = std::count_if(all.begin(), all.end(), [](const Lane& l) { return l.kind == LaneKind::gpu; });
  for (std::size_t l = 0; l < all.size(); ++l)
    lanes[l].collapsed = all[l].kind == LaneKind::graph && gpus > kGpusWithGraphsOpen;
}

Viewer::~Viewer() = default;

View& steered_view(Viewer& viewer) { return viewer.leader == nullptr ? viewer.view : viewer.leader->view; }

Viewer& active_viewer(Viewer& viewer) {
  return viewer.below_is_active && viewer.comparison ? viewer.comparison->below : viewer;
}

void select_event(Viewer& viewer, EventPlace place) {
  const Session& session = viewer.session;
  const EventRow& row = session.timeline.lanes[place.lane].rows[place.row];
  Selected selected{.place = place,
                    .event = row.ref(place.index),
                    .links = {},
                    .link_places = {},
                    .properties = {},
                    .label = {},
                    .full_name = {},
                    .explanation = {},
                    .op_tree = {}};
  if (selected.event.valid()) {
    selected.links = linked_events(session, selected.event);
    for (const EventRef link : selected.links)
      if (const auto at = session.timeline.find(link, event_span(session.trace, link).start_ns))
        selected.link_places.push_back(*at);
    selected.properties = event_properties(session, selected.event);
    selected.label = event_label(session, selected.event);
    selected.full_name = event_full_name(session, selected.event);
    if (selected.event.table() == trace::Table::kernels) {
      selected.explanation =
          session.names.explanation(session.trace.kernels.name[selected.event.row()]).sentence;
      selected.op_tree = analyzer::draw_op_tree(selected.full_name);
    }
  } else {
    selected.label = name(row.category(place.index));
  }
  viewer.selected = std::move(selected);
  Viewer& top = viewer.leader == nullptr ? viewer : *viewer.leader;
  top.below_is_active = viewer.leader != nullptr;
  top.side_panel = SidePanel::details;
  top.side_panel_requested = true;
}

void select_event(Viewer& viewer, EventRef event) {
  if (!event.valid()) return;
  const trace::Span span = event_span(viewer.session.trace, event);
  const auto place = viewer.session.timeline.find(event, span.start_ns);
  if (!place) return;
  select_event(viewer, *place);
  open_parents(viewer, place->lane);
  if (!in_view(viewer.view, span)) go_to(viewer, span, 4);
}

void select_kernel_named(Viewer& viewer, const std::string& demangled) {
  for (const NameTotal& total : viewer.session.name_totals)
    if (total.first.table() == trace::Table::kernels &&
        analyzer::demangle(viewer.session.trace.text(total.name)) == demangled)
      return select_event(viewer, EventRef{total.first});
}

void clear_selection(Viewer& viewer) {
  if (viewer.comparison) clear_selection(viewer.comparison->below);
  viewer.below_is_active = false;
  viewer.selected.reset();
  viewer.measured.reset();
  viewer.totals.reset();
  viewer.finding.reset();
}

void go_to(Viewer& viewer, trace::Span span, double margin) {
  if (viewer.leader == nullptr) {
    viewer.history.remember(viewer.view);
    viewer.view.show(span, margin);
    return;
  }
  const auto above = [&](std::int64_t time_ns) {
    return time_at(viewer.leader->view.origin_ns,
                   offset_ns(viewer.view.origin_ns, time_ns) - viewer.ahead_ns);
  };
  go_to(*viewer.leader, {above(span.start_ns), above(span.end_ns)}, margin);
  viewer.view = aligned_view(*viewer.leader, viewer);
}

void show_whole_trace(Viewer& viewer) {
  viewer.history.remember(viewer.view);
  viewer.view = View::whole(viewer.session.timeline.span);
}

void show_stretch(Viewer& viewer, std::optional<double> at_ns, std::optional<double> span_ns) {
  if (!at_ns && !span_ns) return;
  View& view = viewer.view;
  const double length = span_ns.value_or(view.trace_ns - at_ns.value_or(0));
  const double start = at_ns.value_or((view.trace_ns - length) / 2);
  view.show({time_at(view.origin_ns, start), time_at(view.origin_ns, start + length)}, 0);
}

void fit_selection(Viewer& viewer) {
  if (viewer.selected) {
    const EventPlace& place = viewer.selected->place;
    go_to(viewer, viewer.session.timeline.lanes[place.lane].rows[place.row].span(place.index));
  } else if (viewer.measured) {
    go_to(viewer, *viewer.measured, 0.05);
  }
}

void select_neighbour(Viewer& viewer, int direction) {
  if (!viewer.selected) return;
  EventPlace place = viewer.selected->place;
  const EventRow& row = viewer.session.timeline.lanes[place.lane].rows[place.row];
  if (direction < 0 ? place.index == 0 : place.index + 1 >= row.size()) return;
  place.index = direction < 0 ? place.index - 1 : place.index + 1;
  const trace::Span span = row.span(place.index);
  select_event(viewer, place);
  const trace::Span shown = viewer.view.span();
  if (span.start_ns >= shown.start_ns && span.end_ns <= shown.end_ns) return;
  const double middle =
      (offset_ns(viewer.view.origin_ns, span.start_ns) + offset_ns(viewer.view.origin_ns, span.end_ns)) / 2;
  steered_view(viewer).move((middle - viewer.view.offset_ns) / viewer.view.width_ns - 0.5);
}

void show_finding(Viewer& viewer, std::size_t finding, std::size_t evidence) {
  const auto& findings = viewer.session.diagnosis.findings;
  if (finding >= findings.size()) return;
  viewer.finding = finding;
  viewer.evidence = evidence;
  const auto& all = findings[finding].evidence;
  if (evidence >= all.size()) return;
  if (all[evidence].device)
    for (std::size_t lane = 0; lane < viewer.lanes.size(); ++lane)
      if (viewer.session.timeline.lanes[lane].kind == LaneKind::gpu &&
          viewer.session.timeline.lanes[lane].device == all[evidence].device)
        open_parents(viewer, lane);
  go_to(viewer, all[evidence].span);
}

void measure(Viewer& viewer, trace::Span span) {
  if (span.end_ns < span.start_ns) std::swap(span.start_ns, span.end_ns);
  viewer.measured = span;
  viewer.totals = area_totals(viewer.session, span);
}

void finish_measure(Viewer& viewer) {
  if (viewer.totals && viewer.totals->kernels.empty() && viewer.totals->copies.empty())
    add_event_totals(viewer.session, *viewer.totals);
}

void prepare_minimap(Viewer& viewer, double width_px) {
  constexpr std::size_t kMaxGpus = 16;  // more would be thinner than a pixel
  if (viewer.minimap.width_px == width_px) return;
  viewer.minimap = {.width_px = width_px, .gpus = {}};
  const View whole = View::whole(viewer.session.timeline.span);
  for (const Lane& lane : viewer.session.timeline.lanes)
    if (lane.kind == LaneKind::gpu && viewer.minimap.gpus.size() < kMaxGpus)
      lane.rows.front().fold(whole.span(), column_shift(whole.ns_per_px(width_px)),
                             viewer.minimap.gpus.emplace_back());
}

}  // namespace gputrace::gui
