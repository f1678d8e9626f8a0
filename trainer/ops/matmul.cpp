#include <oneapi/dnnl/dnnl.h>

#include "trainer/cpu_threads.h"
#include "trainer/kernel_names.h"
#include "trainer/launch_shape.h"
#include "trainer/ops/ops.h"

namespace trainer {

namespace names = kernel_names;

namespace {

std::string_view sgemm_name(bool transpose_a, bool transpose_b) {
  if (transpose_a) return names::kSgemmTN;
  return transpose_b ? names::kSgemmNT : names::kSgemmNN;
}

struct GemmSize {
  std::int64_t rows, columns, inner;
};

Work gemm_work(const GemmSize& size) {
  const auto m = static_cast<double>(size.rows), n = static_cast<double>(size.columns);
  const auto k = static_cast<double>(size.inner);
  return {.kind = WorkKind::matmul, .flops = 2 * m * n * k, .bytes = 4 * (m * k + k * n + m * n)};
}

// Few tiles and a long sum (a weight gradient): cuBLAS cuts the sum, so that there are blocks for every
// multiprocessor.
std::int64_t inner_slices(const GemmSize& size) {
  const std::int64_t tiles = ((size.rows + 127) / 128) * ((size.columns + 127) / 128);
  return tiles < 64 && size.inner > 1024 ? 64 / tiles : 1;
}

}  // namespace

Tensor* matmul(Graph& graph, Tensor* a, Tensor* b, bool transpose_a, bool transpose_b) {
  const std::int64_t a_columns = a->shape.last(), a_rows = a->elements() / a_columns;
  const GemmSize size{.rows = transpose_a ? a_columns : a_rows,
                      .columns = transpose_b ? b->shape[0] : b->shape.last(),
                      .inner = transpose_a ? a_rows : a_columns};
  Tensor* y = graph.temporary({size.rows, size.columns});
  const Work work = gemm_work(size);
  graph.add({.type = "MatMul",
             .inputs = {a, b},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(
                 gemm_launch(sgemm_name(transpose_a, transpose_b), kSgemmTile, size.rows, size.columns, inner_slices(size), work),
                 {{a, b, y}, {size.rows, size.columns, size.inner, a_columns, b->shape.last()}})},
             .arithmetic = [=] {
               use_one_cpu_thread();
               dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', size.rows, size.columns,
                          size.inner, 1.0F, a->data, a_columns, b->data, b->shape.last(), 0.0F, y->data,
                          size.columns);
             }});
  graph.differentiate(y, [&graph, a, b](Tensor* dy) {
    if (a->differentiable) graph.add_gradient(a, matmul(graph, dy, b, false, true));
    if (b->differentiable) graph.add_gradient(b, matmul(graph, a, dy, true, false));
  });
  return y;
}

}  // namespace trainer
