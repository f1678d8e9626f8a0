#include "analyzer/parsed_name.h"

#include <catch2/catch.hpp>

#include "analyzer/explain.h"

using namespace gputrace::analyzer;

TEST_CASE("base name and path in every spelling") {
  struct Row {
    const char* name;
    const char* base;
    const char* path;
  };
  const Row row = GENERATE(
      Row{"_Z3addiPfS_", "add", "add"},
      Row{"_ZN5Eigen8internal15EigenMetaKernelIiEEvT_", "EigenMetaKernel",
          "Eigen::internal::EigenMetaKernel"},
      Row{"_ZN5Eigen8internalL15EigenMetaKernelIiEEvT_", "EigenMetaKernel",
          "Eigen::internal::EigenMetaKernel"},
      Row{"void a::b<int=4>::kernel<c>(float const *)", "kernel", "a::b::kernel"},
      Row{"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, 7>(int)", "kernel",
          "internal::gemvx::kernel"},
      Row{"void at::native::(anonymous namespace)::softmax<float>(float*)", "softmax", "at::native::softmax"},
      Row{"void at::native::<unnamed>::softmax<float>(float*)", "softmax", "at::native::softmax"},
      Row{"void at::native::`anonymous namespace'::softmax<float>(float*)", "softmax", "at::native::softmax"},
      Row{"void at::native::_GLOBAL__N__67_x::softmax<float>(float*)", "softmax", "at::native::softmax"},
      Row{"_ZN43_GLOBAL__N__b6de9c8c_10_SoftMax_cu_9f978f6320softmax_warp_forwardIfEEvT_",
          "softmax_warp_forward", "softmax_warp_forward"},
      Row{"ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn"},
      Row{"loop_convert_fusion.kd", "loop_convert_fusion", "loop_convert_fusion"},
      Row{"void f(long*) [clone .kd]", "f", "f"}, Row{"_Z1fPl.kd", "f", "f"},
      Row{"_Z1fPl.constprop.0", "f", "f"},
      Row{"maxwell_scudnn_winograd_128x128_ldg1_ldg4_til...", "maxwell_scudnn_winograd_128x128_ldg1_ldg4_til",
          "maxwell_scudnn_winograd_128x128_ldg1_ldg4_til"},
      Row{"a::operator()<int>(int)", "a", "a"}, Row{"", "", ""}, Row{"((((", "((((", "(((("});
  const ParsedName name(row.name);
  CHECK(name.base() == row.base);
  CHECK(name.path() == row.path);
  CHECK(base_name(row.name) == row.base);
}

TEST_CASE("literals read alike however they are spelled") {
  for (const char* text :
       {"f<int=4>", "f<(int)4>", "f<4>", "f<4ul>", "f<unsigned long=4>", "_Z1fILi4EEvv", "_Z1fILm4EEvv"}) {
    INFO(text);
    const ParsedName name(text);
    REQUIRE(name.arguments().size() == 1);
    CHECK(name.literal(name.arguments()[0]) == "4");
  }
}

TEST_CASE("a template's arguments survive const, pointers and nested brackets") {
  const ParsedName name("void k<a::b<c, d<e> > const*, unsigned long long, (anonymous namespace)::f>(int)");
  REQUIRE(name.arguments().size() == 3);
  CHECK(name.identifier(name.arguments()[0]) == "b");
  CHECK(name.scope_identifier(name.arguments()[0]) == "a");
  CHECK(name.arguments(name.arguments()[0]).size() == 2);
  CHECK(name.builtin(name.arguments()[1]) == "unsigned long long");
  CHECK(name.identifier(name.arguments()[2]) == "f");
  CHECK(name.is_complete());
}

TEST_CASE("a cut-off name keeps what was there") {
  const ParsedName mangled(
      "_ZN5Eigen8internal15EigenMetaKernelINS_15TensorEvaluatorIKNS_14TensorAssignOpINS_9Tens");
  CHECK(mangled.base() == "EigenMetaKernel");
  CHECK_FALSE(mangled.is_complete());
  CHECK(mangled.mentions("TensorAssignOp"));
  const ParsedName text("void a::kernel<b<c, d...");
  CHECK(text.base() == "kernel");
  CHECK_FALSE(text.is_complete());
  CHECK(text.mentions("d"));
}

TEST_CASE("nesting is bounded in both spellings and names are cut at 512 KiB") {
  const int deepest = kMaxNesting - 150;
  auto pointers = [](int count) { return "_Z1f" + std::string(static_cast<std::size_t>(count), 'P') + "i"; };
  CHECK(ParsedName(pointers(deepest)).is_complete());
  CHECK_FALSE(ParsedName(pointers(kMaxNesting + 8)).is_complete());

  for (const char* piece : {"P", "N1aI", "1a", "Z1f", "F", "X", "S_", "Lb", "DpT_", "K", "J", "UlE", "clL"}) {
    std::string hostile = "_Z1fI";
    while (hostile.size() < kMaxNameBytes + 100) hostile += piece;
    const ParsedName name(hostile);
    CHECK(name.text().size() == kMaxNameBytes);
    CHECK(name.graph().nodes().size() <= kMaxNameBytes + 64);
  }
  for (const char* piece :
       {"a<", "(", "a::", "a(", "[", "{", "<", "*", "'", "operator", "a<b>::", "-1", ",", "unsigned "}) {
    std::string hostile = "f<";
    while (hostile.size() < kMaxNameBytes) hostile += piece;
    const ParsedName name(hostile);
    CHECK(name.graph().nodes().size() <= kMaxNameBytes + 64);
    Explainer().explain(hostile);
    demangle(hostile);
  }
}

TEST_CASE("a name that repeats itself by reference is printed up to 64 KiB only") {
  // f(P, pair<P,P>, pair<that,that> ...): every parameter doubles the text.
  std::string name = "_Z1f1aI1bS_E";
  static constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (int i = 1; i < 30; ++i) {
    const std::string last = std::string("S") + kDigits[i] + "_";
    name += "S_I" + last + last + "E";
  }
  const ParsedName parsed(name);
  CHECK(parsed.is_complete());
  CHECK(parsed.graph().nodes().size() < 200);
  const std::string text = demangle(name);
  CHECK(text.size() == 64 * 1024);
  CHECK(text.ends_with("..."));
}

TEST_CASE("empty packs that repeat by reference print nothing, and in bounded time") {
  std::string name = "_Z1f1aIJEE";
  static constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (int i = 0; i < 30; ++i) {
    const std::string last = std::string("S") + kDigits[i] + "_";
    name += "S_IJ" + last + last + "EE";
  }
  CHECK(demangle(name).size() <= 64 * 1024);
}
