#include "trainer/launch_shape.h"

#include <algorithm>
#include <utility>

namespace trainer {

namespace {

std::uint32_t blocks_for(std::int64_t count, std::int64_t per_block) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, (count + per_block - 1) / per_block));
}

}  // namespace

KernelLaunch elementwise_launch(std::string_view name, std::int64_t elements, const Work& work) {
  return {.mangled_name = name,
          .grid = {blocks_for(elements, 1024)},
          .block = {1024},
          .grid_ends_at_full_gpu = true,
          .registers_per_thread = 24,
          .work = work,
          .arithmetic = {}};
}

KernelLaunch column_reduction_launch(std::string_view name, std::int64_t rows, std::int64_t columns,
                                     const Work& work) {
  return {.mangled_name = name,
          .grid = {blocks_for(columns * ((rows + 63) / 64), 256)},
          .block = {256},
          .work = work,
          .arithmetic = {}};
}

KernelLaunch full_reduction_launch(std::string_view name, std::int64_t elements, const Work& work) {
  return {.mangled_name = name,
          .grid = {blocks_for(elements, 256 * 128)},
          .block = {256},
          .work = work,
          .arithmetic = {}};
}

KernelLaunch gemm_launch(std::string_view name, const GemmTile& tile, std::int64_t rows, std::int64_t columns,
                         std::int64_t inner_slices, const Work& work) {
  return {
      .mangled_name = name,
      .grid = {blocks_for(rows, tile.rows), blocks_for(columns, tile.columns), blocks_for(inner_slices, 1)},
      .block = {tile.threads},
      .registers_per_thread = tile.registers,
      .static_shared_bytes = tile.shared_bytes,
      .work = work,
      .arithmetic = {}};
}

KernelLaunch with_operands(KernelLaunch kernel, KernelOperands operands) {
  kernel.operands = std::make_shared<const KernelOperands>(std::move(operands));
  return kernel;
}

}  // namespace trainer
