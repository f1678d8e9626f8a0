// Where the temporaries of a list of ops lie in one block of memory: two that are never alive at once share
// it, as under a framework's own allocator.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "trainer/op.h"

namespace trainer {

struct MemoryPlan {
  std::map<Tensor*, std::size_t> offset_bytes;  // of every temporary, 256-byte aligned
  std::size_t size_bytes = 0;                   // of the block
};

// A temporary lives from the op that writes it first to the op that reads it last. First fit, in program
// order. `share` is false where ops do not run in that order: each temporary has its own memory.
MemoryPlan plan_memory(const std::vector<Op>& ops, bool share = true);

}  // namespace trainer
