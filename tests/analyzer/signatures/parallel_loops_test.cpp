#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("the function around the lambda names a loop") {
  check_explained({
      {"_ZN6clover19par_ranged2d_kernelIZ17accelerate_kerneliiiidRNS_8Buffer2DIdEES3_S3_S3_S3_S3_S3_S3_S3_S3"
       "_EUliiE_EEvNS_7Range2dET_",
       "clover", "accelerate", "other", "clover: accelerate_kernel", ""},
      {"void clover::par_ranged1d_kernel<initialise_chunk(int, global_variables &)::[lambda(int) (instance 4"
       ")]>(clover::Range1d, T1)",
       "clover", "initialise chunk", "other", "clover: initialise_chunk", ""},
      {"_ZN6clover17par_reduce_kernelIZ13field_summaryR16global_variablesR9parallel_EUliE_EEvT_", "clover",
       "field summary", "reduction", "clover: field_summary", ""},
      {"nvkernel_solve_F1L204_2", "openmp", "loop", "other", "openmp: loop in solve", ""},
      {"__omp_offloading_fd00_2c1_main_l42", "openmp", "loop", "other", "openmp: loop in main", ""},
      {"_21______src_cuda_fill_c___pgi_uacc_cuda_fill_44_gpu", "openacc", "loop", "other",
       "openacc: loop in cuda_fill_44", ""},
      {"void Kokkos::Impl::cuda_parallel_launch_local_memory<Kokkos::Impl::ParallelFor<Stream::add()::{lambd"
       "a(int)#1}, Kokkos::RangePolicy<Kokkos::Cuda> > >(int)",
       "kokkos", "add", "other", "kokkos: add", ""},
      {"add_arrays_(CuDeviceArray<Int64, (int)3, (int)1>, CuDeviceArray<Int64, (int)3, (int)1>, CuDeviceArra"
       "y<Int64, (int)3, (int)1>)",
       "julia", "add arrays", "other", "julia: add arrays", ""},
      {"_ZN4quda8Kernel2DINS_16CopyColorSpinor_ENS_18CopyColorSpinorArgIddLi4ELi3ENS_11colorspinor21SpaceSpi"
       "norColorOrderIdLi4ELi3EEENS3_11FloatNOrderIdLi4ELi3ELi2ELb0ELb0EEENS_8RelBasisEEELb0EEENSt9enable_if"
       "IXclsr6deviceE14use_kernel_argIT0_EEEvE4typeESB_",
       "quda", "copy color spinor", "other", "quda: CopyColorSpinor_", ""},
  });
}
