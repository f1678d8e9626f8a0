#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("rocBLAS's own kernels") {
  check_explained({
      {"void rocblas_gemvn_kernel<64, 16, int, float const*, float*>(int, int, float) [clone .kd]", "rocblas",
       "matrix-vector product", "matmul", "rocblas: matrix-vector product", "float"},
      {"void rocblas_dot_kernel<int, 1024, double>(int)", "rocblas", "dot product", "reduction",
       "rocblas: dot product", "double"},
      {"rocblas_something.kd", "rocblas", "something", "other", "rocblas: something", ""},
  });
}
