// Which ops of a list may run side by side: a stream for each, and the ops of other streams that it has to wait for.
#pragma once

#include <cstddef>
#include <vector>

#include "trainer/op.h"

namespace trainer {

struct StreamSlot {
  int stream = 0;                      // from 0
  std::vector<std::size_t> waits_for;  // ops of other streams, ascending; no more than one for each of those streams
  bool is_waited_for = false;          // by an op of another stream
};

// In program order, onto `streams` streams (1 or more): an op goes behind the op that made its latest input where nothing
// else has been put there, else onto the stream that got an op the longest ago. An op waits for the writers of what it
// reads and for the readers and writers of what it writes. Tensors count as distinct: none may share memory.
std::vector<StreamSlot> assign_streams(const std::vector<Op>& ops, int streams);

}  // namespace trainer
