// A family of kernel names that one library gives its kernels. One file each in analyzer/signatures; CMake lists them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "analyzer/explain.h"

namespace gputrace::analyzer {

struct SignatureFamily {
  const char* name;  // "eigen"
  int priority;      // families are asked in this order, the smallest first
  // nullopt where the name is not of this family. `name` is as the profiler wrote it, `base` its base name.
  std::optional<Explanation> (*explain)(std::string_view name, std::string_view base);
};

std::span<const SignatureFamily* const> all_signature_families();

}  // namespace gputrace::analyzer
