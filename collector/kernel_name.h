// The readable names of a kernel.
#pragma once

#include <string>
#include <string_view>

namespace gputrace::collector {

struct KernelName {
  std::string demangled;  // the mangled name where it cannot be demangled, or would be longer than kMaxDemangledBytes
  std::string base;       // without scope, template arguments and parameters
};

inline constexpr std::size_t kMaxMangledBytes = 16 << 10;    // longer names are not parsed
inline constexpr std::size_t kMaxDemangledBytes = 64 << 10;

// Bounded time and memory for any input: substitutions can make a name of 100 characters print as gigabytes, so the
// printed length is estimated from the parsed graph before anything is printed.
KernelName readable_name(const std::string& mangled);

}  // namespace gputrace::collector
