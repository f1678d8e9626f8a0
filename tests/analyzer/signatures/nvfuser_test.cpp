#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("nvFuser's schedules") {
  check_explained({
      {"<unnamed>::nvfuser_pointwise_f1_c1_r0_g1(<unnamed>::Tensor<float, (int)3, (int)3>, <unnamed>::Tensor"
       "<<unnamed>::__bfloat, (int)3, (int)3>)",
       "nvfuser", "fused element-wise ops", "element-wise", "nvfuser: fused element-wise ops", "float"},
      {"_ZN77_GLOBAL__N__00000000_38___tmp_nvfuser_reduction_f0_c1_r0_g3_cu_b58b53ee_5055629nvfuser_reductio"
       "n_f0_c1_r0_g3ENS_6TensorIxLi1ELi1EEENS0_IfLi2ELi2EEENS0_IxLi0ELi0EEENS0_IfLi0ELi0EEES1_S1_NS0_IfLi1E"
       "Li1EEES1_",
       "nvfuser", "fused reduction", "reduction", "nvfuser: fused reduction", "int64"},
      {"_ZN84_GLOBAL__N__00000000_45___tmp_nvfuser_inner_persistent_f0_c1_r0_g2_cu_b58b53ee_5055636nvfuser_i"
       "nner_persistent_f0_c1_r0_g2ENS_6TensorIfLi3ELi3EEENS0_IfLi2ELi2EEE",
       "nvfuser", "fused normalization", "normalization", "nvfuser: fused normalization", "float"},
      {"_ZN73_GLOBAL__N__00000000_32___tmp_kernel_none_f0_c0_r0_g0_cu_17f63680_341027724nvfuser_none_f0_c0_r"
       "0_g0ENS_6TensorINS_6__halfELi3ELi3EEES2_NS_9TensorMapES3_NS0_IS1_Li2ELi2EEE",
       "nvfuser", "fused ops", "element-wise", "nvfuser: fused ops", "half"},
  });
}
