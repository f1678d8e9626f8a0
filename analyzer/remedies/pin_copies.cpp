// Copies from and to pageable memory: from pinned memory they run at the link's rate, and the host does not wait for them.
#include "analyzer/pinning.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) { return pin_pageable_copies(input, graph, std::nullopt); }

}  // namespace

extern const Remedy pin_copies;
constinit const Remedy pin_copies{"pin-copies", "copies from and to pageable memory use pinned memory", apply};

}  // namespace gputrace::analyzer
