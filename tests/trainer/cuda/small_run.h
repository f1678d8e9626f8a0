// Runs of every kind at a size that a test can afford.
#pragma once

#include <string>
#include <vector>

#include "trainer/configuration.h"

namespace trainer::test {

// As the program runs it with these arguments ("--scenario", "A-base", ...), with small models and small batches.
Configuration small_run(const std::vector<const char*>& arguments);

// Arguments of one run each: every scenario's choices, on 1, 2 and 4 GPUs.
const std::vector<std::vector<const char*>>& runs_of_every_kind();

std::string text_of(const std::vector<const char*>& arguments);

}  // namespace trainer::test
