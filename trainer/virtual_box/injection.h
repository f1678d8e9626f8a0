// What the CUDA driver does at its first call for CUDA_INJECTION64_PATH, played by the modelled machine.
#pragma once

#include "trainer/virtual_box/activity.h"

namespace trainer::virtual_box {

// Where CUDA_INJECTION64_PATH is set: loads the modelled libcupti.so.13, connects it to the clock, tells it the machine, then
// loads the library of that path and calls its InitializeInjection. nullptr where none is asked for or the modelled library
// cannot be loaded; each failure is one line on standard error, and the program goes on without, as with the driver.
ActivitySink* connect_profiler(const MachineClock& clock, const MachineProfile& machine);
// The clock is about to go: the library answers no more timestamps from it.
void disconnect_profiler();

}  // namespace trainer::virtual_box
