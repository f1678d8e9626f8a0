// A matrix product whose operands are not matrices in memory: a Problem says what lies at [row, inner] and [inner, column], and
// takes the results. Tiles go through shared memory; a block computes kRows x kColumns results, a thread 4 x 4 of them.
//
// A long sum over few results is cut into slices, a block each, so that there is work for every multiprocessor. The block that ends
// last (a counter per tile says which) adds the slices up in their order: the result is the same in every run.
//
// A Problem has rows, columns and inner (below 2^31 each, the caller sees to it); Row and row(r), what is worked out once per row;
// a(Row, inner), b(inner, column) and store(row, column, value), all within bounds.
#pragma once

#include "trainer/cuda/kernels/block_program.h"

namespace trainer::cuda {

// A counter that goes round at `last`: the number before.
TRAINER_BOTH inline unsigned count_round(unsigned* counter, unsigned last) {
#ifdef __CUDA_ARCH__
  __threadfence();  // the block's partial sums are seen before its count is
  const unsigned before = atomicInc(counter, last);
  __threadfence();
  return before;
#else
  const unsigned before = *counter;
  *counter = before >= last ? 0 : before + 1;
  return before;
#endif
}

// What another block wrote: past the cache of this multiprocessor.
TRAINER_BOTH inline float read_shared_sum(const float* sum) {
#ifdef __CUDA_ARCH__
  return __ldcg(sum);
#else
  return *sum;
#endif
}

template <class Problem>
struct ImplicitGemm {
  static constexpr int kRows = 64, kColumns = 32, kDepth = 16, kThreads = 128, kSide = 4;
  struct Shared {
    float a[kDepth][kRows + 1], b[kDepth][kColumns + 1];
    bool is_last;
  };
  struct Thread {
    typename Problem::Row row;  // that this thread loads
    bool has_row;
    int slice, tiles_deep;  // of the block: its slice, and how many steps of kDepth that has
    std::int64_t first_row, first_column, first_inner, end_inner;
    float sums[kSide][kSide];
  };

  Problem problem;
  int slices;
  float* partial_sums;  // [slices, rows, columns]; nullptr for one slice
  unsigned* counters;   // one per tile, zero before and after

  TRAINER_BOTH std::int64_t column_tiles() const { return (problem.columns + kColumns - 1) / kColumns; }
  TRAINER_BOTH std::int64_t tiles() const { return (problem.rows + kRows - 1) / kRows * column_tiles(); }
  TRAINER_BOTH std::int64_t blocks() const { return tiles() * slices; }

  // Divisions are slow on a GPU, so what they give is kept.
  TRAINER_BOTH void start(Thread& own, std::int64_t block, int thread) const {
    const std::int64_t tile = block / slices, per_slice = inner_per_slice();
    own.slice = static_cast<int>(block % slices);
    own.first_row = tile / column_tiles() * kRows;
    own.first_column = tile % column_tiles() * kColumns;
    own.first_inner = own.slice * per_slice;
    own.end_inner = own.first_inner + per_slice < problem.inner ? own.first_inner + per_slice : problem.inner;
    const std::int64_t count = own.end_inner - own.first_inner;
    own.tiles_deep = count > 0 ? static_cast<int>((count + kDepth - 1) / kDepth) : 0;  // a last slice may be empty
    const std::int64_t row = own.first_row + thread % kRows;
    own.has_row = row < problem.rows;
    if (own.has_row) own.row = problem.row(row);
    for (auto& line : own.sums)
      for (float& sum : line) sum = 0;
  }

  TRAINER_BOTH bool phase(int phase, Shared& shared, Thread& own, std::int64_t block, int thread) const {
    const int end_of_loads = 2 * own.tiles_deep;
    if (phase < end_of_loads) {
      phase % 2 == 0 ? load(shared, own, thread, own.first_inner + std::int64_t{phase / 2} * kDepth) : multiply(shared, own, thread);
      return true;
    }
    if (phase == end_of_loads) {
      keep(own, thread);
      return slices > 1;
    }
    if (phase == end_of_loads + 1) {
      const auto last = static_cast<unsigned>(slices - 1);
      if (thread == 0) shared.is_last = count_round(counters + block / slices, last) == last;
      return true;
    }
    if (shared.is_last) add_slices(own, thread);
    return false;
  }

 private:
  TRAINER_BOTH std::int64_t inner_per_slice() const {
    const std::int64_t even = (problem.inner + slices - 1) / slices;
    return (even + kDepth - 1) / kDepth * kDepth;
  }

  TRAINER_BOTH void load(Shared& shared, const Thread& own, int thread, std::int64_t inner) const {
    const std::int64_t end = own.end_inner;
    const int row = thread % kRows, column = thread % kColumns;
    for (int depth = thread / kRows; depth < kDepth; depth += kThreads / kRows) {
      const bool inside = own.has_row && inner + depth < end;
      shared.a[depth][row] = inside ? problem.a(own.row, static_cast<int>(inner + depth)) : 0.0F;
    }
    const std::int64_t at = own.first_column + column;
    for (int depth = thread / kColumns; depth < kDepth; depth += kThreads / kColumns) {
      const bool inside = at < problem.columns && inner + depth < end;
      shared.b[depth][column] = inside ? problem.b(static_cast<int>(inner + depth), static_cast<int>(at)) : 0.0F;
    }
  }

  // Results of a thread are kSide rows and columns next to each other.
  TRAINER_BOTH static int row_of(int thread) { return thread / (kColumns / kSide) * kSide; }
  TRAINER_BOTH static int column_of(int thread) { return thread % (kColumns / kSide) * kSide; }

  TRAINER_BOTH void multiply(const Shared& shared, Thread& own, int thread) const {
    const int row = row_of(thread), column = column_of(thread);
    for (int depth = 0; depth < kDepth; ++depth) {
      for (int i = 0; i < kSide; ++i) {
        for (int j = 0; j < kSide; ++j) own.sums[i][j] += shared.a[depth][row + i] * shared.b[depth][column + j];
      }
    }
  }

  // visit(row, column, i, j) for each result of the thread that exists.
  template <class Visit>
  TRAINER_BOTH void for_each_result(const Thread& own, int thread, Visit visit) const {
    for (int i = 0; i < kSide; ++i) {
      const std::int64_t row = own.first_row + row_of(thread) + i;
      for (int j = 0; j < kSide; ++j) {
        const std::int64_t column = own.first_column + column_of(thread) + j;
        if (row < problem.rows && column < problem.columns) visit(row, column, i, j);
      }
    }
  }

  TRAINER_BOTH float* partial(std::int64_t slice, std::int64_t row, std::int64_t column) const {
    return partial_sums + (slice * problem.rows + row) * problem.columns + column;
  }

  TRAINER_BOTH void keep(const Thread& own, int thread) const {
    for_each_result(own, thread, [&](std::int64_t row, std::int64_t column, int i, int j) {
      if (slices == 1)
        problem.store(row, column, own.sums[i][j]);
      else
        *partial(own.slice, row, column) = own.sums[i][j];
    });
#ifdef __CUDA_ARCH__
    if (slices > 1) __threadfence();  // for the block that ends last
#endif
  }

  TRAINER_BOTH void add_slices(const Thread& own, int thread) const {
    for_each_result(own, thread, [&](std::int64_t row, std::int64_t column, int, int) {
      float sum = 0;
      for (int slice = 0; slice < slices; ++slice) sum += read_shared_sum(partial(slice, row, column));
      problem.store(row, column, sum);
    });
  }
};

}  // namespace trainer::cuda
