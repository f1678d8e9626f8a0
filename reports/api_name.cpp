#include "reports/api_name.h"

namespace gputrace::reports {

std::string_view without_api_version(std::string_view name) {
  constexpr std::size_t kSuffix = 6;
  if (name.size() <= kSuffix || name.substr(name.size() - kSuffix, 2) != "_v") return name;
  const std::string_view digits = name.substr(name.size() - kSuffix + 2);
  return digits.find_first_not_of("0123456789") == std::string_view::npos
             ? name.substr(0, name.size() - kSuffix)
             : name;
}

}  // namespace gputrace::reports
