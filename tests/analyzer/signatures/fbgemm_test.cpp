#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("embedding tables") {
  check_explained({
      {"void split_embedding_codegen_forward_unweighted_kernel<float, float, float, long, 2ul>(at::GenericPa"
       "ckedTensorAccessor<float, 1ul, at::RestrictPtrTraits, long>, at::GenericPackedTensorAccessor<float, "
       "1ul, at::RestrictPtrTraits, long>, at::GenericPackedTensorAccessor<float, 2ul, at::RestrictPtrTraits"
       ", long>, at::GenericPackedTensorAccessor<int, 1ul, at::RestrictPtrTraits, int>, at::GenericPackedTen"
       "sorAccessor<long, 1ul, at::RestrictPtrTraits, int>, at::GenericPackedTensorAccessor<int, 1ul, at::Re"
       "strictPtrTraits, int>, at::GenericPackedTensorAccessor<long, 1ul, at::RestrictPtrTraits, int>, at::G"
       "enericPackedTensorAccessor<long, 1ul, at::RestrictPtrTraits, int>, long, at::GenericPackedTensorAcce"
       "ssor<int, 1ul, at::RestrictPtrTraits, int>, at::GenericPackedTensorAccessor<float, 2ul, at::Restrict"
       "PtrTraits, int>)",
       "fbgemm", "embedding lookup", "embedding", "fbgemm: embedding lookup", "float"},
      {"void split_embedding_backward_codegen_rowwise_adagrad_unweighted_kernel_cta_per_row_1<float, float, "
       "float, 2ul>(at::GenericPackedTensorAccessor<float, 2ul, at::RestrictPtrTraits, int>, at::GenericPack"
       "edTensorAccessor<float, 1ul, at::RestrictPtrTraits, long>, at::GenericPackedTensorAccessor<float, 1u"
       "l, at::RestrictPtrTraits, long>, at::GenericPackedTensorAccessor<float, 2ul, at::RestrictPtrTraits, "
       "long>, at::GenericPackedTensorAccessor<int, 1ul, at::RestrictPtrTraits, int>, at::GenericPackedTenso"
       "rAccessor<long, 1ul, at::RestrictPtrTraits, int>, at::GenericPackedTensorAccessor<int, 1ul, at::Rest"
       "rictPtrTraits, int>, at::GenericPackedTensorAccessor<long, 1ul, at::RestrictPtrTraits, int>, at::Gen"
       "ericPackedTensorAccessor<long, 1ul, at::RestrictPtrTraits, int>, at::GenericPackedTensorAccessor<int"
       ", 1ul, at::RestrictPtrTraits, int>, at::GenericPackedTensorAccessor<int, 1ul, at::RestrictPtrTraits,"
       " int>, at::GenericPackedTensorAccessor<long, 1ul, at::RestrictPtrTraits, int>, at::GenericPackedTens"
       "orAccessor<int, 1ul, at::RestrictPtrTraits, int>, at::GenericPackedTensorAccessor<int, 1ul, at::Rest"
       "rictPtrTraits, int>, bool, at::PhiloxCudaState, FixedDivisor, at::GenericPackedTensorAccessor<at::Ac"
       "cumulateType<float, true>::type, 1ul, at::RestrictPtrTraits, long>, at::GenericPackedTensorAccessor<"
       "at::AccumulateType<float, true>::type, 1ul, at::RestrictPtrTraits, long>, at::GenericPackedTensorAcc"
       "essor<int, 1ul, at::RestrictPtrTraits, int>, at::GenericPackedTensorAccessor<long, 1ul, at::Restrict"
       "PtrTraits, int>, float, float, float, long)",
       "fbgemm", "embedding gradient + adagrad", "embedding", "fbgemm: embedding gradient + adagrad",
       "float"},
      {"split_embedding_backward_codegen_find_long_segments(at::GenericPackedTensorAccessor<int, 1ul, at::Re"
       "strictPtrTraits, int>, at::GenericPackedTensorAccessor<int, 1ul, at::RestrictPtrTraits, int>, at::Ge"
       "nericPackedTensorAccessor<int, 1ul, at::RestrictPtrTraits, int>, at::GenericPackedTensorAccessor<int"
       ", 1ul, at::RestrictPtrTraits, int>, at::GenericPackedTensorAccessor<int, 1ul, at::RestrictPtrTraits,"
       " int>, at::GenericPackedTensorAccessor<int, 1ul, at::RestrictPtrTraits, int>, at::GenericPackedTenso"
       "rAccessor<int, 1ul, at::RestrictPtrTraits, int>, int, int, bool)",
       "fbgemm", "embedding gradient, long rows", "embedding", "fbgemm: embedding gradient, long rows", ""},
      {"void bounds_check_indices_kernel<long>(at::GenericPackedTensorAccessor<long, 1ul, at::RestrictPtrTra"
       "its, int>, at::GenericPackedTensorAccessor<long, 1ul, at::RestrictPtrTraits, int>, at::GenericPacked"
       "TensorAccessor<long, 1ul, at::RestrictPtrTraits, int>, long, at::GenericPackedTensorAccessor<long, 1"
       "ul, at::RestrictPtrTraits, int>, fbgemm_gpu::FixedDivisor)",
       "fbgemm", "check of embedding indices", "embedding", "fbgemm: check of embedding indices", "int64"},
      {"void fbgemm_gpu::(anonymous namespace)::_compute_FP8_quantize_cuda_kernel<float>(float const*, float"
       " const*, int, int, unsigned char*, bool)",
       "fbgemm", "quantization", "layout change", "fbgemm: quantization", "float"},
      {"void fbgemm_gpu::(anonymous namespace)::_FP8rowwise_to_float_cuda_kernel<float>(unsigned char const*"
       ", int, int, float*, bool)",
       "fbgemm", "dequantization", "layout change", "fbgemm: dequantization", "float"},
      {"void fbgemm_gpu::permute_2D_lengths_kernel<int>(int, int, int const*, int const*, int*)", "fbgemm",
       "permutation of indices", "embedding", "fbgemm: permutation of indices", "int"},
      {"void recat_copy_async_kernel<float>(long const*, long const*, float const*, float*, long, long, long"
       ")",
       "fbgemm", "reorder of embeddings", "layout change", "fbgemm: reorder of embeddings", "float"},
  });
}
