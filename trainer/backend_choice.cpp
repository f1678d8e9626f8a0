#include "trainer/backend_choice.h"

#include <fmt/format.h>

namespace trainer {

tl::expected<BackendChoice, std::string> choose_backend(BackendKind asked, bool box_is_given, const CudaPresence& presence) {
  const bool present = presence.devices > 0;
  switch (asked) {
    case BackendKind::modelled: return BackendChoice{false, {}};
    case BackendKind::cuda:
      if (present) return BackendChoice{true, {}};
      return tl::unexpected(fmt::format("--backend cuda: {}; use --backend virtual for the modelled machine", presence.answer));
    case BackendKind::automatic: break;
  }
  if (box_is_given) return BackendChoice{false, "virtual, because a modelled machine was named"};
  return BackendChoice{present, fmt::format("{}, because {}", present ? "cuda" : "virtual", presence.answer)};
}

}  // namespace trainer
