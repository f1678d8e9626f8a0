#include "trainer/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainer {

std::int64_t Shape::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t dimension : dimensions_) product *= dimension;
  return product;
}

std::string Shape::text() const { return fmt::format("[{}]", fmt::join(dimensions_, ", ")); }

}  // namespace trainer
