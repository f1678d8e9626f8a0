#include "cli/find_collector.h"

#include <array>
#include <system_error>

namespace gputrace::cli {

Result<std::filesystem::path> find_collector() {
  constexpr std::array kFolders{"../lib", "../lib64", "../lib/x86_64-linux-gnu", "../lib/aarch64-linux-gnu"};
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* folder : kFolders) {
    const auto candidate = (here / folder / "libgputrace_collector.so").lexically_normal();
    if (std::filesystem::exists(candidate, error)) return candidate;
  }
  return fail("libgputrace_collector.so is not there", (here / kFolders[0]).lexically_normal().string(),
              "build or install the collector too");
}

}  // namespace gputrace::cli
