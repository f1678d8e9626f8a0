#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("TensorFlow's own kernels") {
  check_explained({
      {"void tensorflow::functor::SwapDimension1And2InTensor3UsingTiles<unsigned int, int=256, int=32, int=3"
       "2, bool=0>(unsigned int const *, tensorflow::functor::Dimension<int=3>, tensorflow::functor::SwapDim"
       "ension1And2InTensor3UsingTiles<unsigned int, int=256, int=32, int=32, bool=0>*)",
       "tensorflow", "NCHW <-> NHWC", "layout change", "tensorflow: NCHW <-> NHWC", "4 bytes"},
      {"void tensorflow::functor::SwapDimension0And2InTensor3Simple<float, false>(int, float const*, tensorf"
       "low::functor::Dimension<3>, float*)",
       "tensorflow", "transpose", "layout change", "tensorflow: transpose", "float"},
      {"void tensorflow::functor::PadInputCustomKernelNHWC<float, int=4>(int, float const *, tensorflow::fun"
       "ctor::Dimension<int=4>, tensorflow::functor::PadInputCustomKernelNHWC<float, int=4>*, float const *,"
       " float const *)",
       "tensorflow", "padding", "layout change", "tensorflow: padding", "float"},
      {"void tensorflow::BiasNHWCKernel<float>(int, float const *, float const , tensorflow::BiasNHWCKernel<"
       "float>*, int)",
       "tensorflow", "bias add", "element-wise", "tensorflow: bias add", "float"},
      {"void tensorflow::GatherOpKernel<float, int, bool=1>(float const *, int const *, tensorflow::GatherOp"
       "Kernel<float, int, bool=1>*, __int64, __int64, __int64, __int64)",
       "tensorflow", "gather", "embedding", "tensorflow: gather", "float"},
      {"void tensorflow::_GLOBAL__N__67_tmpxft_000040f7_00000000_13_maxpooling_op_gpu_cu_compute_52_cpp1_ii_"
       "af505f36::MaxPoolForwardNHWC<float>(int, float const *, int, int, int, int, int, int, int, int, int,"
       " int, int, tensorflow::_GLOBAL__N__67_tmpxft_000040f7_00000000_13_maxpooling_op_gpu_cu_compute_52_cp"
       "p1_ii_af505f36::MaxPoolForwardNHWC<float>*, __int64*)",
       "tensorflow", "max pooling", "reduction", "tensorflow: max pooling", "float"},
      {"void tensorflow::(anonymous namespace)::ResizeNearestNeighborNHWC<float>(int, float const*, int, int"
       ", int, int, int, float, float, float*)",
       "tensorflow", "image resize", "element-wise", "tensorflow: image resize", "float"},
      {"void tensorflow::functor::FillPhiloxRandomKernelLaunch<tensorflow::random::UniformDistribution<tenso"
       "rflow::random::PhiloxRandom, Eigen::half> >(unsigned long long const*, unsigned long long const*, te"
       "nsorflow::random::PhiloxRandom, tensorflow::random::UniformDistribution<tensorflow::random::PhiloxRa"
       "ndom, Eigen::half>::ResultElementType*, long long, tensorflow::random::UniformDistribution<tensorflo"
       "w::random::PhiloxRandom, Eigen::half>)",
       "tensorflow", "random numbers", "element-wise", "tensorflow: random numbers", ""},
      {"void tensorflow::DepthwiseConv2dGPUKernelNCHW<float, 3, 3, 1>(tensorflow::DepthwiseArgs, float const"
       "*, float const*, float*, int)",
       "tensorflow", "depthwise convolution forward", "convolution", "tensorflow: depthwise conv forward",
       "float"},
      {"void tensorflow::functor::ApplyAdamKernel<float>(int, float*, float*, float*)", "tensorflow",
       "adam update", "optimizer", "tensorflow: adam update", "float"},
  });
}

TEST_CASE("a layout swap says what removes it") {
  CHECK(sentence_of("void tensorflow::functor::SwapDimension1And2InTensor3<float>(int)")
            .find("keeping one layout") != std::string::npos);
}
