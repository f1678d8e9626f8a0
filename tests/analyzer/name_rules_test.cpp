#include "analyzer/name_rules.h"

#include <catch2/catch.hpp>

using namespace gputrace::analyzer;

namespace {

std::vector<NameRule> rules(std::string_view text) {
  auto parsed = parse_name_rules(text, "names");
  REQUIRE(parsed);
  return *parsed;
}

}  // namespace

TEST_CASE("a user's rule goes before what we know, the first that matches wins") {
  Explainer explainer(
      rules("# ours\n"
            "\n"
            "ampere_sgemm_* | our product | matmul\n"
            "ampere_*\tours\n"
            "*softmax* | soft | normalization   \r\n"));
  const Explanation& product = explainer.explain("ampere_sgemm_128x64_nn");
  CHECK(product.library == "user");
  CHECK(product.operation == "our product");
  CHECK(product.label == "our product");
  CHECK(product.op_class == "matmul");
  CHECK(explainer.explain("ampere_other").op_class == "other");
  CHECK(explainer.explain("_ZN2at6native12softmax_warpIfEEvPT_").label == "soft");
  CHECK(explainer.explain("volta_sgemm_128x64_nn").library == "cublas");
}

TEST_CASE("a pattern matches the whole name only, stars any run") {
  const auto matches = [](const std::string& pattern, const std::string& name) {
    return explain_by_rules({{pattern, "label", "other"}}, ParsedName(name)).has_value();
  };
  CHECK(matches("abc", "abc"));
  CHECK_FALSE(matches("abc", "abcd"));
  CHECK_FALSE(matches("abc", "ab"));
  CHECK(matches("*", "anything"));
  CHECK(matches("a*c", "ac"));
  CHECK(matches("a*b*c", "a1b2b3c"));
  CHECK_FALSE(matches("a*b*c", "a1c2b"));
  CHECK(matches("kernel", "void ns::kernel<int>(int)"));           // the base name
  CHECK(matches("void ns::*(int)", "void ns::kernel<int>(int)"));  // the name as written
  const std::string hostile(20'000, 'a');
  CHECK_FALSE(matches("*a*a*a*a*a*a*a*a*b", hostile));
}

TEST_CASE("mistakes in a rules file name the line and the remedy") {
  const auto no_label = parse_name_rules("a | b\njust_a_pattern\n", "my/names");
  REQUIRE_FALSE(no_label);
  CHECK(no_label.error().where == "my/names:2");
  CHECK(no_label.error().next_step == "write PATTERN | LABEL [| CLASS]");
  const auto no_class = parse_name_rules("a | b | fast", "my/names");
  REQUIRE_FALSE(no_class);
  CHECK(no_class.error().what == "unknown class \"fast\"");
  CHECK(no_class.error().next_step.find("layout change") != std::string::npos);
  const auto no_file = read_name_rules("/nonexistent/names");
  REQUIRE_FALSE(no_file);
  CHECK(no_file.error().where == "/nonexistent/names");
  CHECK(parse_name_rules("", "empty")->empty());
}
