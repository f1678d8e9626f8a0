#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("a program's own kernels by the words of their names") {
  check_explained({
      {"vecAdd(double*, double*, double*, int)", "own", "addition", "element-wise", "own: vecAdd", ""},
      {"_Z10matrix_mul10FixSizeBoxILm128EE11KernelSlice", "own", "matrix product", "matmul",
       "own: matrix_mul", ""},
      {"saxpy(double *, double *, double *, double, int)", "own", "y += a x", "element-wise", "own: saxpy",
       ""},
      {"softmax_fused_1sc(const float *, float *, const int *)", "own", "softmax", "normalization",
       "own: softmax_fused_1sc", ""},
      {"innerProduct", "own", "dot product", "reduction", "own: innerProduct", ""},
      {"rotary_kernel", "own", "rotary embedding", "element-wise", "own: rotary_kernel", ""},
      {"copyComplex", "own", "copy", "copy", "own: copyComplex", ""},
  });
}

TEST_CASE("words count only whole") {
  CHECK(gputrace::analyzer::Explainer().explain("address_kernel(int*)").operation.empty());  // no "add"
  CHECK(gputrace::analyzer::Explainer().explain("add_ress_kernel(int*)").operation == "addition");
}

TEST_CASE("what no rule knows keeps a readable name") {
  check_explained({{"_Z25kernel_compute_frobnicateI14TilesConstantsEvP8TilesGPUIT_E9PointsPtri", "unknown",
                    "", "other", "kernel_compute_frobnicate", ""},
                   {"void a::b::Fan1<int>(float *)", "unknown", "", "other", "Fan1", ""},
                   {"", "unknown", "", "other", "", ""}});
}
