// The line of code that a finding's remedy comes down to, by framework.
#pragma once

#include <span>
#include <string_view>

namespace gputrace::reports {

struct CodeLine {
  const char* rule;       // "pageable-copies"
  const char* framework;  // "PyTorch", "TensorFlow", "CUDA", "shell"
  const char* code;       // one line, at most 110 columns
};

std::span<const CodeLine> all_code_lines();  // those of one rule stand together

std::span<const CodeLine> code_lines(std::string_view rule);  // empty for a rule whose remedy is no line of code

}  // namespace gputrace::reports
