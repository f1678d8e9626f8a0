// A whole run: what is printed, the steps, and the figures at the end.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "trainer/backend.h"
#include "trainer/options.h"

namespace trainer {

struct RunSummary {
  std::vector<std::int64_t> step_ns;
  std::vector<float> losses;        // empty where arithmetic is off
  std::int64_t median_step_ns = 0;  // of the steps after warm-up
  double samples_per_second = 0;
  double flops_per_step = 0;
};

// Arithmetic that is on by default costs at most some seconds of CPU time a step.
inline constexpr double kAutomaticArithmeticFlops = 120e9;

// Trains on `backend`, which has the GPUs that the options ask for, and prints to `out`. The error is one
// line.
tl::expected<RunSummary, std::string> run_training(Backend& backend, const Options& options,
                                                   std::ostream& out);

// The first steps pay for contexts and first touches: at most two, and never all.
std::int64_t median_after_warm_up_ns(std::vector<std::int64_t> step_ns);

}  // namespace trainer
