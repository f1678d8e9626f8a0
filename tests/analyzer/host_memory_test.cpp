#include "analyzer/host_memory.h"

#include <catch2/catch.hpp>

#include "analyzer/pageable_copies.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Copies one(CopyKind kind, MemoryKind source, MemoryKind destination) {
  return TraceBuilder{}.copy({.start = 0, .end = 1_ms, .bytes = 1'000'000, .kind = kind, .source = source, .destination = destination}).build().copies;
}

MemoryKind memory(CopyKind kind, MemoryKind source, MemoryKind destination) { return memory_of_copy(one(kind, source, destination), 0); }

}  // namespace

TEST_CASE("a copy's memory is that of its host side, whichever way and kind") {
  using enum CopyKind;
  for (const CopyKind kind : {host_to_device, host_to_array, unified_host_to_device}) CHECK(memory(kind, MemoryKind::pageable, MemoryKind::device) == MemoryKind::pageable);
  for (const CopyKind kind : {device_to_host, array_to_host, unified_device_to_host}) CHECK(memory(kind, MemoryKind::device, MemoryKind::pinned) == MemoryKind::pinned);
}

TEST_CASE("a copy's memory: between and within GPUs the source's; within the host pageable where either side is") {
  using enum CopyKind;
  for (const CopyKind kind : {peer_to_peer, device_to_device, array_to_device, unified_device_to_device})
    CHECK(memory(kind, MemoryKind::device, MemoryKind::array) == MemoryKind::device);
  CHECK(memory(host_to_host, MemoryKind::pinned, MemoryKind::pageable) == MemoryKind::pageable);
  CHECK(memory(host_to_host, MemoryKind::pageable, MemoryKind::pinned) == MemoryKind::pageable);
  CHECK(memory(host_to_host, MemoryKind::pinned, MemoryKind::pinned) == MemoryKind::pinned);
}

TEST_CASE("copies from and to pageable memory are those between host and GPU") {
  using enum CopyKind;
  CHECK(is_pageable_copy(one(host_to_device, MemoryKind::pageable, MemoryKind::device), 0));
  CHECK(is_pageable_copy(one(array_to_host, MemoryKind::array, MemoryKind::pageable), 0));
  CHECK_FALSE(is_pageable_copy(one(host_to_device, MemoryKind::pinned, MemoryKind::pageable), 0));
  CHECK_FALSE(is_pageable_copy(one(peer_to_peer, MemoryKind::device, MemoryKind::pageable), 0));
  CHECK_FALSE(is_pageable_copy(one(host_to_host, MemoryKind::pageable, MemoryKind::pageable), 0));
  const auto result = TraceBuilder{}.copy({.start = 0, .end = 1_us, .bytes = 4096, .kind = device_to_host, .source = MemoryKind::device, .destination = MemoryKind::pageable}).build();
  CHECK_FALSE(is_pageable_copy(result.copies, 0));
}
