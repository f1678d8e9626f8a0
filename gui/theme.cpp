#include "gui/theme.h"

namespace gputrace::gui {
namespace {

constexpr std::uint32_t rgb(std::uint32_t hex) {  // 0xRRGGBB
  return 0xFF000000U | (hex & 0xFF) << 16 | (hex & 0xFF00) | (hex >> 16 & 0xFF);
}

struct CategoryColor {
  Category category;
  std::uint32_t dark, light;  // 0xRRGGBB
};

constexpr CategoryColor kColors[] = {
    {Category::matmul, 0x3D8FD1, 0x2A7DC0},           {Category::convolution, 0x56B4E9, 0x6DBDEB},
    {Category::normalization, 0x1FA67E, 0x1A9A74},    {Category::element_wise, 0xE3D65C, 0xE5D554},
    {Category::reduction, 0xE69F00, 0xEBA521},        {Category::layout_change, 0xD9662B, 0xD9662B},
    {Category::embedding, 0xCC79A7, 0xCC79A7},        {Category::attention, 0x8A6FE0, 0x7D60D8},
    {Category::optimizer, 0xA98256, 0xB08A5E},        {Category::communication, 0xE0457B, 0xD93A70},
    {Category::copy_kernel, 0x6FA8A0, 0x7BB3AB},      {Category::other_kernel, 0x8B93A1, 0x9BA3B0},
    {Category::graph_launch, 0x5C7AA8, 0x7590BA},     {Category::to_device_pageable, 0x35B779, 0x3FBF82},
    {Category::to_device_pinned, 0x35B779, 0x3FBF82}, {Category::to_host_pageable, 0xF08A4B, 0xF0904F},
    {Category::to_host_pinned, 0xF08A4B, 0xF0904F},   {Category::peer_copy, 0xC95BD6, 0xC45ED0},
    {Category::on_device_copy, 0x7FA7B5, 0x8DB3C0},   {Category::host_copy, 0xA8A29A, 0xB5AFA6},
    {Category::unified_copy, 0xB3B84A, 0xB8BD55},     {Category::fill, 0x6C7686, 0x8A94A4},
    {Category::api_launch, 0x4F86C6, 0x6C9BD2},       {Category::api_copy, 0x3DA37A, 0x5BB58F},
    {Category::api_synchronize, 0xC0504D, 0xD0706C},  {Category::api_memory, 0xB08BC9, 0xBE9DD4},
    {Category::api_other, 0x77808F, 0x9AA2AF},        {Category::overhead, 0xA33B3B, 0xC45A5A},
    {Category::range_a, 0x4C8C7A, 0x8FC4B4},          {Category::range_b, 0x6B7FB8, 0xA4B4E0},
    {Category::range_c, 0x9A7B4F, 0xDCC294},          {Category::range_d, 0x8A6296, 0xC8A8D2},
    {Category::range_e, 0x5B8FA8, 0x9CC6DA},          {Category::range_f, 0x7F8A52, 0xC0CA94},
    {Category::one_kernel, 0x3D8FD1, 0x4A94D6},       {Category::several_kernels, 0x8FD14F, 0x7CBF3C},
    {Category::only_copies, 0xE69F00, 0xE9A01B},      {Category::kernel_and_copy, 0x2FB7A3, 0x26A896},
    {Category::only_fills, 0x6C7686, 0x8A94A4},       {Category::idle_host, 0xE0503F, 0xD2402F},
    {Category::idle_sync, 0xCC79A7, 0xB85C90},        {Category::idle_launch, 0xF0C04A, 0xE0A800},
    {Category::idle_waiting, 0x5E7FC4, 0x6F8FD0},     {Category::idle_no_more, 0x4A525E, 0xB9C1CB},
    {Category::idle_unknown, 0x7A8494, 0x97A1AE},
};
static_assert(std::size(kColors) == kCategoryCount);

Theme make(bool dark) {
  Theme t{};
  t.dark = dark;
  t.background = rgb(dark ? 0x14171C : 0xF4F5F7);
  t.panel = rgb(dark ? 0x1B1F26 : 0xFFFFFF);
  t.lane = rgb(dark ? 0x191D23 : 0xFFFFFF);
  t.lane_alternate = rgb(dark ? 0x1E232B : 0xF3F5F8);
  t.border = rgb(dark ? 0x333B47 : 0xCDD3DB);
  t.grid = rgb(dark ? 0x2A313B : 0xE2E6EB);
  t.text = rgb(dark ? 0xE6E9EE : 0x1C2430);
  t.text_dim = rgb(dark ? 0x98A2B0 : 0x5B6675);
  t.idle = rgb(dark ? 0x515B69 : 0xA9B2BE);
  t.selection = rgb(dark ? 0xFFFFFF : 0x000000);
  t.highlight = rgb(dark ? 0xFFC857 : 0xC77700);
  t.warning = rgb(dark ? 0xF2B134 : 0xB36B00);
  t.critical = rgb(dark ? 0xFF6B5E : 0xC4281C);
  t.good = rgb(dark ? 0x4CC38A : 0x1B7F4B);
  t.run_edge = rgb(dark ? 0xFFFFFF : 0x000000);
  for (const CategoryColor& entry : kColors)
    t.category[static_cast<std::size_t>(entry.category)] = rgb(dark ? entry.dark : entry.light);
  return t;
}

}  // namespace

const Theme& theme(bool dark) {
  static const Theme kDark = make(true), kLight = make(false);
  return dark ? kDark : kLight;
}

Hatch hatch(Category category) {
  switch (category) {
    case Category::to_device_pageable:
    case Category::to_host_pageable:
      return Hatch::diagonal;
    case Category::to_device_pinned:
    case Category::to_host_pinned:
      return Hatch::back_diagonal;
    case Category::peer_copy:
    case Category::communication:
      return Hatch::upright;
    case Category::unified_copy:
    case Category::idle_waiting:
      return Hatch::dots;
    case Category::idle_sync:
      return Hatch::diagonal;
    default:
      return Hatch::none;
  }
}

std::uint32_t text_on(std::uint32_t color) {
  const double luma = 0.299 * (color & 255) + 0.587 * (color >> 8 & 255) + 0.114 * (color >> 16 & 255);
  return luma > 118 ? rgb(0x10141A) : rgb(0xFFFFFF);
}

std::uint32_t with_alpha(std::uint32_t color, float alpha) {
  return (color & 0x00FFFFFFU) | static_cast<std::uint32_t>(alpha * 255.0F + 0.5F) << 24;
}

}  // namespace gputrace::gui
