#include "gui/graph_series.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "gui/time_math.h"

namespace gputrace::gui {
namespace {

CategorySet set_of(std::initializer_list<Category> categories) {
  CategorySet set;
  for (const Category category : categories) set.set(static_cast<std::size_t>(category));
  return set;
}

CategorySet kernels() {
  CategorySet set = set_of({Category::graph_launch});
  for (auto c = static_cast<std::size_t>(Category::matmul);
       c <= static_cast<std::size_t>(Category::other_kernel); ++c)
    set.set(c);
  return set;
}

bool is_to_device(Category category) {
  return category == Category::to_device_pageable || category == Category::to_device_pinned;
}

bool is_from_device(Category category) {
  return category == Category::to_host_pageable || category == Category::to_host_pinned;
}

std::size_t gpu_of(const Timeline& timeline, std::size_t lane) {
  while (timeline.lanes[lane].kind != LaneKind::gpu && timeline.lanes[lane].parent >= 0)
    lane = static_cast<std::size_t>(timeline.lanes[lane].parent);
  return lane;
}

template <class Visit>
void for_each_row(const Timeline& timeline, std::size_t gpu, LaneKind kind, Visit visit) {
  for (std::size_t l = gpu + 1; l < timeline.lanes.size() && timeline.lanes[l].depth > timeline.lanes[gpu].depth; ++l)
    if (timeline.lanes[l].kind == kind)
      for (const EventRow& row : timeline.lanes[l].rows)
        if (row.size() > 0) visit(row);
}

std::vector<float> scaled(const std::vector<double>& sums, double factor) {
  std::vector<float> values(sums.size());
  std::transform(sums.begin(), sums.end(), values.begin(),
                 [&](double sum) { return static_cast<float>(std::max(0.0, sum * factor)); });
  return values;
}

}  // namespace

GraphColumns graph_columns(const Timeline& timeline, std::size_t lane, trace::Span window, int column_shift) {
  GraphColumns out;
  out.column_ns = std::uint64_t{1} << column_shift;
  out.first_ns = window.start_ns >> column_shift << column_shift;
  const std::uint64_t count = distance_ns(out.first_ns, window.end_ns) / out.column_ns + 1;
  constexpr std::uint64_t kMaxColumns = 1 << 14;  // of the widest picture
  std::vector<double> sums(std::min(count, kMaxColumns)), second;
  const std::size_t gpu = gpu_of(timeline, lane);
  const auto width = static_cast<double>(out.column_ns);
  switch (timeline.lanes[lane].graph) {
    case GraphKind::utilization:
      timeline.lanes[gpu].rows.front().add_busy_by_column(
          out.first_ns, out.column_ns,
          set_of({Category::one_kernel, Category::several_kernels, Category::kernel_and_copy}), sums);
      out.values = scaled(sums, 1 / width);
      break;
    case GraphKind::concurrency:
      for_each_row(timeline, gpu, LaneKind::stream, [&](const EventRow& row) {
        row.add_busy_by_column(out.first_ns, out.column_ns, kernels(), sums);
      });
      out.values = scaled(sums, 1 / width);
      break;
    case GraphKind::link:
      second.resize(sums.size());
      for_each_row(timeline, gpu, LaneKind::copies, [&](const EventRow& row) {
        if (is_to_device(row.category(0))) row.add_amount_by_column(out.first_ns, out.column_ns, sums);
        if (is_from_device(row.category(0))) row.add_amount_by_column(out.first_ns, out.column_ns, second);
      });
      out.values = scaled(sums, 1e9 / width);
      out.second = scaled(second, 1e9 / width);
      break;
  }
  for (const float value : out.values) out.most = std::max(out.most, value);
  for (const float value : out.second) out.most = std::max(out.most, value);
  return out;
}

float axis_end(float most) {
  if (!(most > 0)) return 1;
  const float power = std::pow(10.0F, std::floor(std::log10(most)));
  for (const float factor : {1.0F, 2.0F, 5.0F})
    if (power * factor >= most * 0.999F) return power * factor;
  return power * 10;
}

}  // namespace gputrace::gui
