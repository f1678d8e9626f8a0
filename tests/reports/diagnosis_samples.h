// Diagnoses made by hand for the tests of the formats.
#pragma once

#include "analyzer/diagnosis.h"

namespace gputrace::tests {

analyzer::Diagnosis cpu_placed_ops();    // a simulated run of five steps on two GPUs, with all kinds of findings
analyzer::Diagnosis healthy_run();       // one busy GPU, nothing found
analyzer::Diagnosis empty_trace();       // no event and no table
analyzer::Diagnosis hostile_names();     // escapes, markup, broken UTF-8, wide characters and endless names everywhere
analyzer::Diagnosis eight_gpus();        // more devices than fit side by side; one unused; kernels in CUDA graphs

}  // namespace gputrace::tests
