// Which backend a run gets: what was asked for, and what there is.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

namespace trainer {

enum class BackendKind : std::uint8_t {
  automatic,  // CUDA where a device answers, else the modelled machine
  cuda,
  modelled,
};

// What the CUDA runtime says of this machine.
struct CudaPresence {
  int devices = 0;
  std::string answer;  // "1 device answers", "no CUDA-capable device is detected"
};

struct BackendChoice {
  bool cuda = false;
  std::string reason;  // of an automatic choice, for the user; empty where one was asked for
};

// `box_is_given`: a modelled machine was named for this run (--box or VIRTUAL_BOX_PROFILE), so auto takes it and `presence`
// does not matter. The error is one line: CUDA was asked for and there is none.
tl::expected<BackendChoice, std::string> choose_backend(BackendKind asked, bool box_is_given, const CudaPresence& presence);

}  // namespace trainer
