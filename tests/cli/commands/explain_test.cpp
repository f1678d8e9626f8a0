#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/child_process.h"
#include "tests/cli/trace_file.h"

using namespace gputrace::tests;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kPadding =
    "_ZN5Eigen8internal31EigenMetaKernel_NonVectorizableINS_15TensorEvaluatorIKNS_14TensorAssignOpINS_"
    "9TensorMapINS_6TensorIfLi4ELi1ElEELi"
    "16EEEKNS_15TensorPaddingOpIKNS_5arrayISt4pairIiiELm4EEEKNS4_INS5_IKfLi4ELi1ElEELi16EEEEEEENS_"
    "9GpuDeviceEEElEEvT_T0_";

// A config directory without rules of the person who runs the tests.
ChildResult explain(std::vector<std::string> arguments, const TestFolder& config) {
  arguments.insert(arguments.begin(), {gputrace_program(), "explain"});
  return run_child(arguments, {.environment = {"XDG_CONFIG_HOME=" + config.file("").string()}});
}

ChildResult explain_input(const std::string& input, const std::string& options, const TestFolder& config) {
  config.write("names.txt", input);
  const std::string command =
      "'" + gputrace_program() + "' explain " + options + " < '" + config.file("names.txt").string() + "'";
  return run_child({"/bin/sh", "-c", command},
                   {.environment = {"XDG_CONFIG_HOME=" + config.file("").string()}});
}

}  // namespace

TEST_CASE("explain says what a name means, a line a name") {
  const TestFolder config;
  const auto result = explain({kPadding, "ampere_sgemm_128x64_nn"}, config);
  CHECK(result.exit_status == 0);
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Catch::StartsWith("eigen: y = pad(x) · float · rank 4 · row-major"));
  CHECK_THAT(result.out, Contains("\ncublas: gemm 128x64 nn · float"));
}

TEST_CASE("explain --tree draws the expression") {
  const TestFolder config;
  const auto result = explain({"--tree", kPadding}, config);
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.out, Contains("└─ pad  4 pairs at run time  (TensorPaddingOp)  <- the work"));
}

TEST_CASE("explain --json writes one object per name and line, from standard input too") {
  const TestFolder config;
  const auto result =
      explain_input(std::string(kPadding) + "\r\n\nmy_own_Xyz\n\xff\xfe(\n", "--json", config);
  REQUIRE(result.exit_status == 0);
  std::vector<nlohmann::json> objects;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);)
    objects.push_back(nlohmann::json::parse(line, nullptr, false));
  REQUIRE(objects.size() == 3);
  for (const auto& object : objects) REQUIRE_FALSE(object.is_discarded());
  CHECK(objects[0]["name"] == kPadding);
  CHECK(objects[0]["library"] == "eigen");
  CHECK(objects[0]["operation"] == "padding");
  CHECK(objects[0]["label"] == "eigen: y = pad(x)");
  CHECK(objects[0]["class"] == "layout change");
  CHECK(objects[0]["type"] == "float");
  CHECK_FALSE(objects[0]["sentence"].get<std::string>().empty());
  CHECK(objects[1]["library"] == "unknown");
  CHECK(objects[1]["class"] == "other");
}

TEST_CASE("explain keeps a name's control characters from the terminal") {
  const TestFolder config;
  const auto result = explain({"evil\x1b[2Jname"}, config);
  CHECK(result.exit_status == 0);
  CHECK(result.out.find('\x1b') == std::string::npos);
}

TEST_CASE("a user's rules come from --names or from the config directory") {
  const TestFolder config;
  config.write("rules", "ampere_sgemm_* | our product | matmul\n");
  const auto given = explain({"ampere_sgemm_128x64_nn", "--names", config.file("rules").string()}, config);
  CHECK_THAT(given.out, Catch::StartsWith("user: our product"));

  std::filesystem::create_directories(config.file("gputrace"));
  config.write("gputrace/names", "volta_* | from the config\n");
  CHECK_THAT(explain({"volta_sgemm_128x64_nn"}, config).out, Catch::StartsWith("user: from the config"));
}

TEST_CASE("mistakes are told with their place and the next step") {
  const TestFolder config;
  config.write("rules", "fine | fine\nbroken\n");
  const auto broken = explain({"x", "--names", config.file("rules").string()}, config);
  CHECK(broken.exit_status == 1);
  CHECK_THAT(broken.err, Contains("rules:2: a rule needs a pattern and a label"));
  const auto missing = explain({"x", "--names", config.file("nothing").string()}, config);
  CHECK(missing.exit_status == 1);
  CHECK_THAT(missing.err, Contains("cannot read the name rules"));
  CHECK(explain({"x", "--tree", "--json"}, config).exit_status == 2);
}
