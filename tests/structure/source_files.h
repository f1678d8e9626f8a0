// The project's sources as text, for tests of the structure.
#pragma once

#include <string>
#include <vector>

namespace gputrace::tests {

struct SourceFile {
  std::string path;  // relative to the project: "trace/trace.h"
  std::vector<std::string> lines;
};

// The .h, .cpp, .c, .cu, .cmake, CMakeLists.txt, .json, .sh and .py files of the stages, tests, cmake and scripts.
const std::vector<SourceFile>& source_files();

// What the file includes, without quotes or brackets.
std::vector<std::string> includes(const SourceFile& file);

// "trace" of "trace/trace.h"; "" for a file of the root.
std::string stage_of(const std::string& path);

}  // namespace gputrace::tests
