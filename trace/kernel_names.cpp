#include "trace/kernel_names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace gputrace::trace {
namespace {

// A mangled name of 2 KiB can stand for megabytes: substitutions nest.
constexpr std::size_t kLongestMangled = 1024, kLongestDemangled = 64 * 1024;

// The first place of `c` outside all brackets; npos where there is none.
std::size_t find_outside_brackets(std::string_view text, char wanted) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && c == wanted) return i;
    if (c == '<' || c == '(' || c == '[') ++depth;
    if ((c == '>' || c == ')' || c == ']') && depth > 0) --depth;
  }
  return std::string_view::npos;
}

}  // namespace

std::string demangled(std::string_view name) {
  if (!name.starts_with("_Z") || name.size() > kLongestMangled) return std::string(name);
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !text) return std::string(name);
  std::string result = text.get();
  return result.size() > kLongestDemangled ? std::string(name) : result;
}

std::string_view base_name(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  if (const auto at = name.rfind(kAnonymous, name.find('<')); at != std::string_view::npos) {
    name.remove_prefix(at + kAnonymous.size());
  }
  name = name.substr(0, find_outside_brackets(name, '('));
  // The return type ends at a space; the name may have template arguments with spaces, so look outside
  // brackets only.
  for (auto space = find_outside_brackets(name, ' ');
       space != std::string_view::npos && space + 1 < name.size(); space = find_outside_brackets(name, ' ')) {
    name.remove_prefix(space + 1);
  }
  for (auto colon = find_outside_brackets(name, ':');
       colon != std::string_view::npos && colon + 1 < name.size(); colon = find_outside_brackets(name, ':')) {
    name.remove_prefix(colon + 1);
  }
  return name.substr(0, find_outside_brackets(name, '<'));
}

}  // namespace gputrace::trace
