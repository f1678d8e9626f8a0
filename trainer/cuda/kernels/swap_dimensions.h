// x[A, B, C] to y[A, C, B], through tiles of shared memory, so that reads and writes both run along rows: NHWC to NCHW and back.
#pragma once

#include "trainer/cuda/kernels/block_program.h"
#include "trainer/cuda/kernels/kernel.h"
#include "trainer/kernel_names.h"

namespace trainer::cuda {

struct SwapDimensions {
  static constexpr int kTile = 32, kRowsAtOnce = 8, kThreads = kTile * kRowsAtOnce;
  struct Shared {
    float values[kTile][kTile + 1];  // one more, or a column's values would lie in one bank
  };
  struct Thread {};

  const float* x;
  float* y;
  std::int64_t outer, rows, columns;

  TRAINER_BOTH std::int64_t row_tiles() const { return (rows + kTile - 1) / kTile; }
  TRAINER_BOTH std::int64_t column_tiles() const { return (columns + kTile - 1) / kTile; }
  TRAINER_BOTH std::int64_t blocks() const { return outer * row_tiles() * column_tiles(); }

  TRAINER_BOTH void start(Thread&, std::int64_t, int) const {}
  TRAINER_BOTH bool phase(int phase, Shared& shared, Thread&, std::int64_t block, int thread) const {
    const std::int64_t slab = block / (row_tiles() * column_tiles()), tile = block % (row_tiles() * column_tiles());
    const std::int64_t first_row = tile / column_tiles() * kTile, first_column = tile % column_tiles() * kTile;
    const int along = thread % kTile;
    for (int across = thread / kTile; across < kTile; across += kRowsAtOnce) {
      if (phase == 0) {
        const std::int64_t row = first_row + across, column = first_column + along;
        if (row < rows && column < columns) shared.values[across][along] = x[(slab * rows + row) * columns + column];
      } else {
        const std::int64_t row = first_row + along, column = first_column + across;
        if (row < rows && column < columns) y[(slab * columns + column) * rows + row] = shared.values[along][across];
      }
    }
    return phase == 0;
  }
};

// x, y; {A, B, C}.
template <class Device>
void swap_dimensions(const Device& device, const KernelCall& call) {
  const SwapDimensions program{call.tensors[0], call.tensors[1], call.extents[0], call.extents[1], call.extents[2]};
  run_blocks(device, program.blocks(), program);
}

template <class Device>
KernelList<Device> swap_dimensions_kernels() {
  return {{kernel_names::kSwapDimensions12, {}, &swap_dimensions<Device>}};
}

}  // namespace trainer::cuda
