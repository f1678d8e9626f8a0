// Switches CUPTI's activity records on and takes its buffers.
#pragma once

namespace gputrace::guest {

class Session;

// Once per process, when CUDA starts; later calls do nothing. Where CUPTI is missing or refuses, a note says so in
// the spool and the program runs on.
void start_cupti(Session& session);

// NVTX may be used long before CUDA starts. If the process has loaded a CUPTI, its clock is right from the beginning.
void adopt_loaded_cupti_clock(Session& session);

}  // namespace gputrace::guest
