// What an event is drawn as: the class of a kernel's operation, the direction and host memory of a copy, and
// so on. One list for all lanes, so that a colour and a hatch mean the same everywhere.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/kinds.h"

namespace gputrace::gui {

enum class Category : std::uint8_t {
  matmul,
  convolution,
  normalization,
  element_wise,
  reduction,
  layout_change,
  embedding,
  attention,
  optimizer,
  communication,
  copy_kernel,
  other_kernel,
  graph_launch,
  to_device_pageable,
  to_device_pinned,
  to_host_pageable,
  to_host_pinned,
  peer_copy,
  on_device_copy,
  host_copy,
  unified_copy,
  fill,
  api_launch,
  api_copy,
  api_synchronize,
  api_memory,
  api_other,
  overhead,
  range_a,
  range_b,
  range_c,
  range_d,
  range_e,
  range_f,
  one_kernel,
  several_kernels,
  only_copies,
  kernel_and_copy,
  only_fills,  // what a GPU does, in its summary row
  idle_host,
  idle_sync,
  idle_launch,
  idle_waiting,
  idle_no_more,
  idle_unknown,  // and why it does nothing: analyzer::IdleCause, in its order
  count
};
inline constexpr std::size_t kCategoryCount = static_cast<std::size_t>(Category::count);

const char* name(Category category);  // for people: "matmul", "copy to device, pageable memory"

Category kernel_category(
    std::string_view op_class);  // as Explanation::op_class spells it; unknown: other_kernel
Category copy_category(trace::CopyKind kind, trace::MemoryKind source, trace::MemoryKind destination);
Category api_category(std::string_view api_name);  // "cudaLaunchKernel_v7000"
Category range_category(
    std::string_view text);  // by the text less its digits: "step 1" and "step 2" look alike

}  // namespace gputrace::gui
