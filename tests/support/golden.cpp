#include "tests/support/golden.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace gputrace::tests {
namespace {

std::string next_line(std::istringstream& in) {
  std::string line;
  return std::getline(in, line) ? line : "<end>";
}

std::string first_difference(std::string_view expected, std::string_view actual) {
  std::istringstream a{std::string(expected)}, b{std::string(actual)};
  for (int number = 1;; ++number) {
    const std::string left = next_line(a), right = next_line(b);
    if (left != right) {
      return "line " + std::to_string(number) + "\n  golden: " + left + "\n  now:    " + right;
    }
    if (left == "<end>") return "a line ends differently";
  }
}

}  // namespace

std::string differs_from_golden(std::string_view file_name, std::string_view text) {
  const auto path = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "tests" / "golden" / file_name;
  if (std::getenv("GPUTRACE_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return "";
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return path.string() + " does not exist; GPUTRACE_UPDATE_GOLDEN=1 writes it";
  std::stringstream content;
  content << in.rdbuf();
  return content.str() == text ? "" : path.string() + " " + first_difference(content.str(), text);
}

}  // namespace gputrace::tests
