#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("transforms of cuFFT, generators of cuRAND") {
  check_explained({
      {"void spRadix0064B::kernel1Mem<unsigned int, float, 0>(int)", "cufft", "fast Fourier transform",
       "other", "cufft: fast Fourier transform", "float"},
      {"void vector_fft<256u, EPT<16u>, 32u, double2>(int)", "cufft", "fast Fourier transform", "other",
       "cufft: fast Fourier transform", "complex double"},
      {"void dpRadix0025B::kernel3Mem<unsigned int, double>(int)", "cufft", "fast Fourier transform", "other",
       "cufft: fast Fourier transform", "double"},
      {"setup_curand(curandStateXORWOW *)", "curand", "seeds of random numbers", "element-wise",
       "curand: seeds of random numbers", ""},
      {"void gen_sequenced<curandStateXORWOW, float, int>(int)", "curand", "random numbers", "element-wise",
       "curand: random numbers", ""},
  });
}

TEST_CASE("a kernel that only uses cuRAND is the program's own") {
  CHECK(gputrace::analyzer::Explainer().explain("kernel_IMGA(int *, curandStateXORWOW *, int *)").library ==
        "unknown");
}
