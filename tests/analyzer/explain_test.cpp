#include "analyzer/explain.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include "analyzer/parsed_name.h"
#include "tests/support/golden.h"

using namespace gputrace::analyzer;

namespace {

// Rows of a tab-separated file of real names; empty, with a line printed, where the data is not there.
std::vector<std::vector<std::string>> real_rows(const std::string& file) {
  const auto path = std::filesystem::path(GPUTRACE_SOURCE_DIR) / ".." / "shared" / "data" / "names" / file;
  std::ifstream in(path);
  if (!in) std::cout << "skipped: " << path.string() << " is not there\n";
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> fields(1);
    for (const char c : line) {
      if (c == '\t') {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    if (!fields[0].empty()) rows.push_back(std::move(fields));
  }
  return rows;
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

const std::set<std::string> kClasses = {"matmul",    "convolution",   "normalization", "element-wise",
                                        "reduction", "layout change", "embedding",     "attention",
                                        "optimizer", "communication", "copy",          "other"};

void check_shape(const Explanation& e) {
  CHECK_FALSE(e.library.empty());
  CHECK(kClasses.count(e.op_class) == 1);
  CHECK(character_count(e.label) <= 40);
  CHECK_FALSE(e.sentence.empty());
  if (e.operation.empty()) CHECK((e.library != "unknown" || e.op_class == "other"));
}

}  // namespace

TEST_CASE("bytes that are no UTF-8 count as characters: a label stays short whatever the encoding") {
  gputrace::analyzer::Explainer explainer;
  const std::string label = explainer.explain("am" + std::string(180, '\x88') + "pgre").label;
  CHECK(label.size() <= 160);
  CHECK(explainer.explain(std::string(90, '\x88')).label.size() <= 160);
}

TEST_CASE("parts of a long name do not make the explanation long") {
  Explainer explainer;
  std::string tiles = "ampere_sgemm_", ops = "triton_poi_fused_", path;
  for (int i = 0; i < 100'000; ++i) {
    tiles += "1x";
    ops += "add_";
    path += "abcd";
  }
  for (const std::string& name :
       {tiles + "_nn", ops + "3", path + "::par_ranged1d_kernel<int>(int)", path + "_fusion"}) {
    const Explanation e = explainer.explain(name);
    check_shape(e);
    CHECK(character_count(e.sentence) <= 4000);
    CHECK(character_count(e.library) <= 120);
    CHECK(character_count(e.operation) <= 120);
  }
}

TEST_CASE("of the real names at least 95 % have a family and 85 % an operation") {
  const auto rows = real_rows("kernel_names.tsv");
  if (rows.empty()) return;
  Explainer explainer;
  std::size_t with_family = 0, with_operation = 0, by_words_only = 0;
  for (const auto& row : rows) {
    INFO(row[0]);
    const Explanation& e = explainer.explain(row[0]);
    check_shape(e);
    const bool known = e.library != "unknown";
    with_family += known ? 1 : 0;
    with_operation += e.operation.empty() ? 0 : 1;
    by_words_only += !known && !e.operation.empty() ? 1 : 0;
    if (!known)
      std::cout << "no family: " << row[0].substr(0, 150)
                << (e.operation.empty() ? "" : "  (" + e.operation + ")") << "\n";
    if (known && e.operation.empty()) std::cout << "no operation: " << row[0].substr(0, 150) << "\n";
  }
  const double percent = 100.0 / static_cast<double>(rows.size());
  std::cout << rows.size() << " names: " << percent * static_cast<double>(with_family) << " % with a family, "
            << percent * static_cast<double>(with_operation) << " % with an operation (" << by_words_only
            << " names without a family by their words)\n";
  CHECK(percent * static_cast<double>(with_family) >= 95.0);
  CHECK(percent * static_cast<double>(with_operation) >= 85.0);
}

TEST_CASE("demangling agrees with Nsight Systems on every real pair") {
  std::size_t compared = 0;
  for (const auto& row : real_rows("kernel_pairs_nsys.tsv")) {
    REQUIRE(row.size() >= 2);
    INFO(row[0]);
    const std::string mine = demangle(row[0]);
    if (row[1].ends_with("...")) {  // their copy was cut
      CHECK(mine.starts_with(row[1].substr(0, row[1].size() - 3)));
    } else {
      CHECK(mine == row[1]);
    }
    if (row.size() >= 3) CHECK(base_name(row[0]) == row[2]);
    ++compared;
  }
  std::cout << compared << " pairs compared\n";
}

TEST_CASE("the mangled and the demangled form of a name are explained alike") {
  Explainer explainer;
  for (const auto& row : real_rows("kernel_pairs_nsys.tsv")) {
    if (!is_mangled(row[0]) || row[1].ends_with("...")) continue;
    INFO(row[0] << "\n" << row[1]);
    const Explanation& mangled = explainer.explain(row[0]);
    const Explanation& demangled = explainer.explain(row[1]);
    CHECK(mangled.library == demangled.library);
    CHECK(mangled.operation == demangled.operation);
    CHECK(mangled.op_class == demangled.op_class);
    CHECK(mangled.label == demangled.label);
    CHECK(mangled.type == demangled.type);
  }
}

TEST_CASE("explanations of names of all families stay as reviewed") {
  const auto path = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "tests" / "golden" / "explain_names.txt";
  std::ifstream in(path);
  REQUIRE(in);
  Explainer explainer;
  std::string text;
  std::size_t count = 0;
  for (std::string name; std::getline(in, name); ++count) {
    const Explanation& e = explainer.explain(name);
    text += name.substr(0, 100) + (name.size() > 100 ? "...\n" : "\n");
    text +=
        "  " + e.label + " | " + e.library + " | " + e.operation + " | " + e.op_class + " | " + e.type + "\n";
    text += "  " + e.sentence + "\n";
  }
  CHECK(count >= 60);
  CHECK(gputrace::tests::differs_from_golden("explain.txt", text) == "");
}

TEST_CASE("one answer per distinct name, whose reference stays") {
  Explainer explainer;
  const Explanation* first = &explainer.explain("ampere_sgemm_128x64_nn");
  for (int i = 0; i < 1000; ++i) explainer.explain("kernel_" + std::to_string(i));
  CHECK(first == &explainer.explain("ampere_sgemm_128x64_nn"));
  CHECK(first->label == "cublas: gemm 128x64 nn");
}

TEST_CASE("every cut of a name, and every name with a byte changed, gets an answer") {
  const std::vector<std::string> names = {
      "_ZN2at6native18elementwise_kernelILi128ELi2EZNS0_22gpu_kernel_impl_nocastINS0_13BUnaryFunctorIfffNS0_"
      "15binary_internal10MulFunctorIfE"
      "EEEEEvRNS_18TensorIteratorBaseERKT_EUliE_EEviT1_",
      "_ZN3cub28DeviceReduceSingleTileKernelINS_18DeviceReducePolicyIfiNS_3MinEE9Policy600EPfS5_iS2_ffEEvT0_"
      "T1_T2_T3_T4_",
      "void "
      "Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<Eigen::"
      "Tensor<float, int=4, "
      "int=1, long>, int=16>, Eigen::TensorPaddingOp<Eigen::array<std::pair<int, int>, unsigned long=4> "
      "const, Eigen::TensorMap<Eigen::"
      "Tensor<float const, int=4, int=1, long>, int=16> const > const > const, Eigen::GpuDevice>, "
      "long>(float, int=4)"};
  Explainer explainer;
  for (const std::string& name : names) {
    for (std::size_t i = 0; i < name.size(); ++i) {
      check_shape(explainer.explain(name.substr(0, i)));
      for (const char c : {'\0', '<', 'E', '_', 'S', 'I', '('}) {
        std::string changed = name;
        changed[i] = c;
        check_shape(explainer.explain(changed));
        demangle(changed);
        draw_op_tree(changed);
      }
    }
  }
}

TEST_CASE("what is not mangled, or not understood, demangles to itself") {
  CHECK(demangle("ampere_sgemm_128x64_nn") == "ampere_sgemm_128x64_nn");
  CHECK(demangle("_Z") == "_Z");
  CHECK(demangle("_Zq") == "_Zq");
  CHECK(demangle("_Z1fIi") == "_Z1fIi");
  CHECK(demangle("") == "");
  CHECK(demangle(std::string(100'000, 'a')).size() == 64 * 1024);
}
