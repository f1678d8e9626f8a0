#include "trace/kernel_names.h"

#include <catch2/catch.hpp>

namespace gputrace::trace {
namespace {

TEST_CASE("mangled names are demangled, others stay") {
  REQUIRE(demangled("_Z4convIfEvi") == "void conv<float>(int)");
  REQUIRE(demangled("volta_sgemm_128x64_nn") == "volta_sgemm_128x64_nn");
  REQUIRE(demangled("_Zbroken") == "_Zbroken");
  REQUIRE(demangled("").empty());
}

TEST_CASE("names too long to demangle stay as they are") {
  const std::string longest = "_Z1018" + std::string(1018, 'f');
  REQUIRE(longest.size() == 1024);
  REQUIRE(demangled(longest) == std::string(1018, 'f'));
  const std::string too_long = "_Z1019" + std::string(1019, 'f') + "v";
  REQUIRE(demangled(too_long) == too_long);
}

TEST_CASE("the base name is what a kernel is called for short") {
  REQUIRE(base_name("void net::conv<float, (int)3>(int)") == "conv");
  REQUIRE(base_name("conv") == "conv");
  REQUIRE(base_name("void at::native::(anonymous namespace)::reduce<int>(float*)") == "reduce");
  REQUIRE(
      base_name("void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<int, (bool)1>, long>(int)") ==
      "EigenMetaKernel");
  REQUIRE(base_name("std::enable_if<(1>0), void>::type run<int>(int)") == "run");
  REQUIRE(base_name("") == "");
  REQUIRE(base_name("<>()::") == "");
}

}  // namespace
}  // namespace gputrace::trace
