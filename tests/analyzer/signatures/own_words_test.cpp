#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("a program's own kernels by the words of their names") {
  check_explained({
      {"vecAdd(double*, double*, double*, int)", "unknown", "addition", "element-wise", "vecAdd", ""},
      {"_Z10matrix_mul10FixSizeBoxILm128EE11KernelSlice", "unknown", "matrix product", "matmul",
       "matrix_mul", ""},
      {"saxpy(double *, double *, double *, double, int)", "unknown", "y += a x", "element-wise", "saxpy",
       ""},
      {"softmax_fused_1sc(const float *, float *, const int *)", "unknown", "softmax", "normalization",
       "softmax_fused_1sc", ""},
      {"innerProduct", "unknown", "dot product", "reduction", "innerProduct", ""},
      {"rotary_kernel", "unknown", "rotary embedding", "element-wise", "rotary_kernel", ""},
      {"copyComplex", "unknown", "copy", "copy", "copyComplex", ""},
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
                   {"", "unknown", "", "other", "(no name)", ""}});
}
