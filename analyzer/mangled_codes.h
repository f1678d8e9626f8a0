// The one- and two-letter codes of the Itanium C++ ABI's mangling
// (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling).
#pragma once

#include <string_view>

namespace gputrace::analyzer {

struct MangledOperator {
  std::string_view code;    // "pl"
  std::string_view symbol;  // "+"
  int operands;             // 0: a name only, no expression
};

// nullptr where `code`, two letters, is no operator.
const MangledOperator* find_mangled_operator(std::string_view code);

// The following are "" for a letter that is no such code.
std::string_view builtin_type(char code);           // 'i': "int"
std::string_view builtin_type_after_d(char code);   // 'h' of "Dh": "half"
std::string_view standard_abbreviation(char code);  // 'a' of "Sa": "allocator"

}  // namespace gputrace::analyzer
