#include "reports/format.h"

namespace gputrace::reports {

const Format* find_format(std::string_view name) {
  for (const Format* format : formats()) {
    if (format->name == name) return format;
  }
  return nullptr;
}

}  // namespace gputrace::reports
