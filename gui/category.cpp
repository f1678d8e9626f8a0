#include "gui/category.h"

#include <array>
#include <initializer_list>

namespace gputrace::gui {
namespace {

constexpr std::array<const char*, kCategoryCount> kNames = {
    "matmul",
    "convolution",
    "normalization",
    "element-wise",
    "reduction",
    "layout change",
    "embedding",
    "attention",
    "optimizer",
    "communication",
    "copy",
    "other",
    "CUDA graph",
    "host to device, pageable",
    "host to device, pinned",
    "device to host, pageable",
    "device to host, pinned",
    "peer to peer",
    "device to device",
    "host to host",
    "unified memory",
    "fill",
    "launch",
    "copy call",
    "wait",
    "memory call",
    "other call",
    "overhead",
    "range",
    "range",
    "range",
    "range",
    "range",
    "range",
    "one kernel",
    "several kernels",
    "copy only",
    "kernel and copy",
    "fill only",
    "idle: host late",
    "idle: host waited for the GPU",
    "idle: launch",
    "idle: waiting for other work",
    "idle: no more work",
    "idle: cause not captured",
};

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (text.find(word) != std::string_view::npos) return true;
  return false;
}

Category by_host_memory(trace::MemoryKind host, Category pageable, Category pinned) {
  return host == trace::MemoryKind::pinned ? pinned : pageable;
}

}  // namespace

const char* name(Category category) { return kNames[static_cast<std::size_t>(category)]; }

Category kernel_category(std::string_view op_class) {
  for (auto c = static_cast<std::size_t>(Category::matmul);
       c <= static_cast<std::size_t>(Category::other_kernel); ++c)
    if (op_class == kNames[c]) return static_cast<Category>(c);
  return Category::other_kernel;
}

Category copy_category(trace::CopyKind kind, trace::MemoryKind source, trace::MemoryKind destination) {
  using trace::CopyKind;
  switch (kind) {
    case CopyKind::host_to_device:
    case CopyKind::host_to_array:
      return by_host_memory(source, Category::to_device_pageable, Category::to_device_pinned);
    case CopyKind::device_to_host:
    case CopyKind::array_to_host:
      return by_host_memory(destination, Category::to_host_pageable, Category::to_host_pinned);
    case CopyKind::peer_to_peer:
      return Category::peer_copy;
    case CopyKind::host_to_host:
      return Category::host_copy;
    case CopyKind::unified_host_to_device:
    case CopyKind::unified_device_to_host:
    case CopyKind::unified_device_to_device:
      return Category::unified_copy;
    default:
      return Category::on_device_copy;
  }
}

Category api_category(std::string_view api_name) {
  if (contains_any(api_name, {"Launch"})) return Category::api_launch;
  if (contains_any(api_name, {"Synchronize", "WaitEvent", "EventQuery"})) return Category::api_synchronize;
  if (contains_any(api_name, {"Memcpy", "Memset", "memcpy", "memset"})) return Category::api_copy;
  if (contains_any(api_name, {"Alloc", "Free", "MemCreate", "MemMap", "HostRegister"}))
    return Category::api_memory;
  return Category::api_other;
}

Category range_category(std::string_view text) {
  constexpr std::uint32_t kRanges = 6;
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : text) {
    if (c >= '0' && c <= '9') continue;
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  return static_cast<Category>(static_cast<std::uint32_t>(Category::range_a) + (hash >> 8) % kRanges);
}

}  // namespace gputrace::gui
