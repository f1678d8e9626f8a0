// The named runs: published training runs, each with what its author ran and the machine it ran on.
#pragma once

#include <span>
#include <string_view>

#include "trainer/configuration.h"

namespace trainer {

struct Scenario {
  std::string_view name;     // "A-base"
  std::string_view summary;  // one line
  std::string_view box;      // machine profile
  Configuration configuration;
};

std::span<const Scenario> scenarios();
const Scenario* find_scenario(std::string_view name);  // nullptr where there is none
// What a run without a scenario starts from: that model as its first scenario runs it.
const Scenario& default_scenario(ModelKind model);

}  // namespace trainer
