// Runs an op's kernels on a backend that computes, and compares with what the op's arithmetic gives on the host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/backend.h"
#include "trainer/cuda/kernel_cases.h"

namespace trainer::cuda {

// Of the largest result's size. A float has 24 bits (6e-8), a sum of n values in another order differs by some sqrt(n) of them,
// n is 1e5 here at most; exp, powers and roots of a GPU are exact to a few of the last bits.
inline constexpr double kRelativeTolerance = 1e-4;
inline constexpr double kAbsoluteTolerance = 1e-6;  // of results that cancel out to nothing

struct OpResult {
  std::string case_name, op;         // "pad", "Slice"
  std::vector<std::string> kernels;  // mangled, in order
  double error = 0, tolerance = 0;   // largest difference of a result; what is allowed
  bool passed() const { return error <= tolerance; }  // not of NaN
};

// Every op of the case in turn, each from the host's values, on device 0. The values that are filled in depend on `seed` alone.
std::vector<OpResult> check_ops(Backend& backend, Stream stream, const KernelCase& which, std::uint64_t seed);

}  // namespace trainer::cuda
