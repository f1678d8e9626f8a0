#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("QCU's Wilson operator and solver") {
  check_explained({
      {"_Z22wilson_dslash_b_y_sendPvS_iS_", "qcu", "boundary packing", "layout change",
       "qcu: wilson_dslash_b_y_send", ""},
      {"_Z20wilson_dslash_x_recvPvS_S_iS_S_", "qcu", "boundary unpacking", "layout change",
       "qcu: wilson_dslash_x_recv", ""},
      {"_Z23wilson_dslash_x_computePvS_S_S_i", "qcu", "Wilson operator", "other",
       "qcu: wilson_dslash_x_compute", ""},
      {"_Z20bistabcg_give_1alphaPv", "qcu", "BiCGStab update", "element-wise", "qcu: bistabcg_give_1alpha",
       ""},
      {"_Z16reduction_kernelP14LatticeComplexPKS_i", "qcu", "reduction", "reduction", "qcu: reduction_kernel",
       ""},
  });
}

TEST_CASE("a name with one of QCU's words elsewhere is not QCU's") {
  CHECK(gputrace::analyzer::Explainer().explain("my_wilson_dslash(float*)").library == "unknown");
}
