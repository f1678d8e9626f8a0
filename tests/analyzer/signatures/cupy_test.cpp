#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("CuPy's ufuncs and their result type") {
  check_explained({
      {"cupy_add__int32_int_int32", "cupy", "add", "element-wise", "cupy: add", "int"},
      {"cupy_copy__float64_float32", "cupy", "cast", "layout change", "cupy: copy", "float"},
      {"cupy_copy__float64_float64", "cupy", "copy", "layout change", "cupy: copy", "double"},
      {"cupy_true_divide__float64_float64_float64", "cupy", "division", "element-wise", "cupy: true divide",
       "double"},
      {"cupy_fill", "cupy", "fill", "element-wise", "cupy: fill", ""},
      {"cupy_inclusive_batch_scan_kernel", "cupy", "scan", "reduction", "cupy: inclusive batch scan", ""},
      {"cupy_var_core_float32", "cupy", "variance", "reduction", "cupy: var core float32", ""},
  });
}
