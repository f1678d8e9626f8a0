// How many cores the arithmetic may use.
#pragma once

namespace trainer {

// oneDNN's OpenMP loops of the calling thread run on that thread alone: towers are the parallelism, and the
// threads of one small convolution wait for each other more than they gain.
void use_one_cpu_thread();

}  // namespace trainer
