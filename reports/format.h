// A report format: one file each in reports/formats, listed by CMake.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/diagnosis.h"

namespace gputrace::reports {

struct FormatOptions {
  int width = 80;       // columns of the terminal; formats without columns ignore it
  bool color = false;   // ANSI colours
};

struct Format {
  const char* name;     // as given to --format
  const char* file_extension;
  std::string (*render)(const analyzer::Diagnosis& diagnosis, const FormatOptions& options);
};

std::span<const Format* const> formats();
const Format* find_format(std::string_view name);  // nullptr where there is none

}  // namespace gputrace::reports
