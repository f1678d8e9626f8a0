#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "collector/kernel_name.h"

using gputrace::collector::KernelName;
using gputrace::collector::kMaxMangledBytes;
using gputrace::collector::readable_name;

TEST_CASE("A mangled kernel gives its signature and its base name") {
  const KernelName name = readable_name("_ZN5Eigen8internal15EigenMetaKernelIfiEEvT_T0_");
  CHECK(name.demangled == "void Eigen::internal::EigenMetaKernel<float, int>(float, int)");
  CHECK(name.base == "EigenMetaKernel");
}

TEST_CASE("A name that is not mangled stays as it is") {
  for (const std::string name : {"triton_poi_fused_add_0", "", "_Zfoo", "_Z"}) {
    CHECK(readable_name(name).demangled == name);
    CHECK(readable_name(name).base == name);
  }
}

namespace {

// S_ , S0_, ... S9_, SA_, ...: the Itanium C++ ABI's name of substitution `index`.
std::string substitution(int index) {
  if (index == 0) return "S_";
  std::string digits;
  for (int rest = index - 1; digits.empty() || rest > 0; rest /= 36)
    digits.insert(digits.begin(), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest % 36]);
  return "S" + digits + "_";
}

// foo<B<..B<B<A, A>, B<A, A>>..>>: each level holds the one below twice, the second time as a substitution, so the
// name has a few characters a level and prints as 2^levels. The function is substitution 0, the levels' names 1 to
// `levels`, A the next.
std::string doubling_name(int levels) {
  std::string type = "1A";
  for (int level = 1; level <= levels; ++level) type = "1BI" + type + substitution(levels + level) + "E";
  return "_Z3fooI" + type + "EvT_";
}

}  // namespace

TEST_CASE("Substitutions are expanded as long as the name stays readable") {
  CHECK(readable_name(doubling_name(2)).demangled == "void foo<B<B<A, A>, B<A, A> > >(B<B<A, A>, B<A, A> >)");
}

TEST_CASE("A name that would print as gigabytes keeps its mangled form, and still gives its base") {
  const std::string mangled = doubling_name(40);
  CHECK(mangled.size() < 400);
  CHECK(readable_name(mangled).demangled == mangled);
  CHECK(readable_name(mangled).base == "foo");
}

TEST_CASE("A name longer than any compiler makes is not parsed") {
  const std::string longest = "_Z" + std::to_string(kMaxMangledBytes) + std::string(kMaxMangledBytes, 'a') + "v";
  CHECK(readable_name(longest).demangled == longest);
}

TEST_CASE("Deep nesting at the longest parsed length neither overflows nor takes long") {
  for (const char letter : {'P', 'K', 'I', 'N', 'L', 'F', 'D', 'X'}) {
    const std::string name = "_Z1f" + std::string(kMaxMangledBytes - 5, letter) + "i";
    CHECK(readable_name(name).demangled.size() >= 1);
  }
}

TEST_CASE("Real kernel names: the pairs that a profiler printed") {
  const auto path = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data/names/kernel_pairs_nsys.tsv";
  std::ifstream file(path);
  if (!file) {
    WARN("no " << path << ": skipped");
    return;
  }
  int names = 0, base_agrees = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string mangled, demangled, base;
    if (!std::getline(fields, mangled, '\t') || !std::getline(fields, demangled, '\t') ||
        !std::getline(fields, base, '\t'))
      continue;
    if (!mangled.starts_with("_Z")) continue;
    ++names;
    const KernelName name = readable_name(mangled);
    INFO(mangled);
    CHECK((name.demangled != mangled || mangled.size() > 1000));
    base_agrees += name.base == base;
  }
  INFO(base_agrees << " of " << names);
  CHECK(base_agrees == names);
}
