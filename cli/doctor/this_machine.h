// The machine that the program runs on, as the checks see it.
#pragma once

#include <filesystem>

#include "cli/doctor/checks.h"

namespace gputrace::cli {

// Opens the driver and CUPTI, and records one range of a child of this program to see whether NVTX arrives.
Machine look_at_this_machine(const std::filesystem::path& output_folder);

// What that child does: one NVTX range of this name.
inline constexpr const char* kProbeRange = "gputrace doctor";
void emit_probe_range();

}  // namespace gputrace::cli
