// What a spool's header says of the completeness of its recording, onto the trace's accounts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "collector/spool_reader.h"
#include "collector/trace_assembly.h"

namespace gputrace::collector {

// After the spool was read, since its damage counts too. `process_name`: "" where it is not known.
void account(const std::filesystem::path& path, const SpoolReader& reader, const std::string& process_name, TraceAssembly& assembly);

// Unsigned, so that damaged times wrap instead of overflowing.
inline std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

}  // namespace gputrace::collector
