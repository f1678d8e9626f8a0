#include "tests/structure/source_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace gputrace::tests {
namespace {

namespace fs = std::filesystem;

bool is_source(const fs::path& path) {
  static const std::set<std::string> kExtensions{".h", ".hpp", ".cpp", ".c", ".cu", ".cmake", ".json", ".sh", ".py", ".toml"};
  return kExtensions.count(path.extension().string()) > 0 || path.filename() == "CMakeLists.txt";
}

SourceFile read(const fs::path& path, const fs::path& root) {
  SourceFile file{.path = path.lexically_relative(root).generic_string(), .lines = {}};
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);
  return file;
}

std::vector<SourceFile> read_all() {
  const fs::path root(GPUTRACE_SOURCE_DIR);
  std::vector<SourceFile> files;
  for (const char* folder :
       {"trace", "collector", "analyzer", "reports", "gui", "cli", "trainer", "tests", "cmake", "scripts"}) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry :
         fs::recursive_directory_iterator(root / folder, fs::directory_options::follow_directory_symlink)) {
      // Golden files hold what the program says, not what it is.
      const bool golden = entry.path().string().find("/tests/golden/") != std::string::npos;
      if (entry.is_regular_file() && is_source(entry.path()) && !golden) files.push_back(read(entry.path(), root));
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

}  // namespace

const std::vector<SourceFile>& source_files() {
  static const std::vector<SourceFile> kFiles = read_all();
  return kFiles;
}

std::vector<std::string> includes(const SourceFile& file) {
  std::vector<std::string> found;
  for (const std::string& line : file.lines) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    const std::size_t word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) continue;
    const std::size_t open = line.find_first_of("\"<", word);
    const std::size_t close = open == std::string::npos ? open : line.find_first_of("\">", open + 1);
    if (close != std::string::npos) found.push_back(line.substr(open + 1, close - open - 1));
  }
  return found;
}

std::string stage_of(const std::string& path) {
  const std::size_t slash = path.find('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

}  // namespace gputrace::tests
