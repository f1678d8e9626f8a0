#include "cli/trace_name.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace gputrace::cli {

namespace {

constexpr const char* kSpoolMark = ".spool-";
constexpr int kMaxCounter = 1'000'000;

std::string host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "host";
}

// All but %n, which needs the rest of the name first; it is left as a byte that no name holds.
Result<std::string> expand_fixed(const std::string& pattern) {
  std::string name;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      name += pattern[i];
      continue;
    }
    const char letter = i + 1 < pattern.size() ? pattern[++i] : '\0';
    if (letter == '%') name += '%';
    else if (letter == 'h') name += host();
    else if (letter == 'p') name += std::to_string(getpid());
    else if (letter == 'n') name += '\0';
    else if (letter == 'q' && i + 1 < pattern.size() && pattern[i + 1] == '{' && pattern.find('}', i) != pattern.npos) {
      const std::size_t end = pattern.find('}', i);
      const std::string variable = pattern.substr(i + 2, end - i - 2);
      const char* value = std::getenv(variable.c_str());
      if (value == nullptr) return fail("the environment has no variable " + variable, pattern);
      name += value;
      i = end;
    } else {
      return fail("unknown % in an output name", pattern, "known are %p, %h, %n, %q{VAR} and %%");
    }
  }
  return name;
}

std::filesystem::path with_number(const std::string& name, int number) {
  std::string numbered;
  for (const char c : name) {
    if (c == '\0') numbered += std::to_string(number);
    else numbered += c;
  }
  std::filesystem::path path = numbered;
  if (!path.has_extension()) path += ".sqlite";
  return path;
}

}  // namespace

Result<std::filesystem::path> expand_trace_name(const std::string& pattern) {
  const auto name = expand_fixed(pattern);
  if (!name) return tl::unexpected(name.error());
  if (name->find('\0') == name->npos) return with_number(*name, 0);
  for (int number = 1; number < kMaxCounter; ++number) {
    std::error_code error;
    const auto path = with_number(*name, number);
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) return path;
  }
  return fail("no free number", pattern);
}

Result<std::filesystem::path> make_spool_folder(const std::filesystem::path& trace, bool overwrite) {
  std::error_code error;
  if (std::filesystem::is_directory(trace, error))
    return fail("is a folder", trace.string(), "give a file name with -o");
  if (std::filesystem::exists(trace, error) && !overwrite) {
    return fail("exists already", trace.string(), "use --force to replace it, or -o for another name");
  }
  std::string folder = std::filesystem::absolute(trace, error).string() + kSpoolMark + "XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    return fail("cannot be written: " + std::generic_category().message(errno), trace.string(),
                "give another place with -o");
  }
  return std::filesystem::path(folder);
}

std::filesystem::path trace_of_spool_folder(const std::filesystem::path& folder) {
  const std::string name = folder.has_filename() ? folder.string() : folder.parent_path().string();
  const std::size_t mark = name.rfind(kSpoolMark);
  return mark == name.npos ? "" : name.substr(0, mark);
}

}  // namespace gputrace::cli
