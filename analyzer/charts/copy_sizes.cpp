#include "analyzer/charts/copy_sizes.h"

#include <map>
#include <tuple>

namespace gputrace::analyzer {
namespace {

constexpr std::int64_t kSizes[] = {0, 4096, 65'536, 1'048'576, 16'777'216, 268'435'456};
constexpr std::size_t kClasses = std::size(kSizes);

// kClasses: not captured.
std::size_t class_of(const trace::Copies& copies, std::size_t i) {
  if (!copies.has_size(i)) return kClasses;
  const std::int64_t bytes = copies.bytes[i];
  std::size_t at = 0;
  while (at + 1 < kClasses && bytes >= kSizes[at + 1]) ++at;
  return at;
}

}  // namespace

std::vector<CopySize> copy_sizes(const trace::Trace& trace, const Metrics& metrics) {
  const trace::Copies& copies = trace.copies;
  std::map<std::tuple<std::string, std::string, std::size_t>, CopySize> sizes;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies.end_ns[i] <= metrics.window.start_ns || copies.start_ns[i] >= metrics.window.end_ns) continue;
    const std::size_t at = class_of(copies, i);
    CopySize& size = sizes[{name(copies.kind[i]), host_memory(copies, i), at}];
    ++size.count;
    if (copies.has_size(i)) size.bytes += copies.bytes[i];
    size.total_ns += copies.span(i).duration_ns();
  }
  std::vector<CopySize> all;
  for (auto& [key, size] : sizes) {
    std::tie(size.direction, size.memory, std::ignore) = key;
    const std::size_t at = std::get<2>(key);
    if (at < kClasses) size.from_bytes = kSizes[at];
    if (at + 1 < kClasses) size.below_bytes = kSizes[at + 1];
    all.push_back(std::move(size));
  }
  return all;
}

}  // namespace gputrace::analyzer
