#include "reports/dimensions_text.h"

#include <fmt/format.h>

namespace gputrace::reports {

std::string dimensions_text(const trace::Dim3& size) { return fmt::format("{} {} {}", size.x, size.y, size.z); }

}  // namespace gputrace::reports
