// The command line as a configuration.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "trainer/backend_choice.h"
#include "trainer/configuration.h"

namespace trainer {

enum class ArithmeticMode : std::uint8_t { automatic, on, off };

struct Options {
  Configuration configuration;
  ArithmeticMode arithmetic = ArithmeticMode::automatic;
  BackendKind backend = BackendKind::automatic;
  std::string box;       // profile name or path, of a modelled machine
  bool box_is_given = false;  // by --box or the environment, not by the scenario
  std::string csv_path;  // empty: none
  bool list_boxes = false, list_faults = false;
  char table = '\0';  // 'A' or 'B': print that and train nothing
};

// What to print instead of training: help (status 0, for stdout) or a usage error (status 2, for stderr).
struct OptionsExit {
  std::string text;
  int exit_status = 2;
};

// `box_from_environment`: the value of VIRTUAL_BOX_PROFILE, or nullptr. --box goes before it, it goes before
// the scenario's.
tl::expected<Options, OptionsExit> parse_options(int argc, const char* const* argv,
                                                 const char* box_from_environment);

}  // namespace trainer
