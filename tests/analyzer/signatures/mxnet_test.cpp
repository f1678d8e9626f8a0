#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("MXNet's expression kernels") {
  check_explained({
      {"_ZN7mshadow4cuda13MapPlanKernelINS_2sv6savetoELi8ENS_4expr4PlanINS_6TensorINS_3gpuELi2EfEEfEENS5_INS"
       "4_17ReduceWithAxisExpINS_3red7maximumENS6_IS7_Li3EfEEfLi3ELb1ELi2EEEfEEEEvT1_jNS_5ShapeILi2EEET2_",
       "mxnet", "reduction", "reduction", "mxnet: reduction", "float"},
      {"_ZN7mshadow4cuda18MapPlanLargeKernelINS_2sv6savetoELi8ELi1024ENS_4expr4PlanINS_6TensorINS_3gpuELi2Ef"
       "EEfEENS5_INS4_9ScalarExpIfEEfEEEEvT2_jNS_5ShapeILi2EEET3_i",
       "mxnet", "fill", "element-wise", "mxnet: fill", "float"},
      {"void mxnet::op::mxnet_op::mxnet_generic_kernel<mxnet::op::SGDMomKernel, float*>(int, float*)",
       "mxnet", "momentum update", "optimizer", "mxnet: momentum update", "float"},
  });
}
