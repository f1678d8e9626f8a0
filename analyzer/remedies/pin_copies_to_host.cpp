// Copies to pageable memory of the host go to pinned memory instead; those from it stay as they are.
#include "analyzer/pinning.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) { return pin_pageable_copies(input, graph, LinkWay::from_device); }

}  // namespace

extern const Remedy pin_copies_to_host;
constinit const Remedy pin_copies_to_host{"pin-copies-to-host", "copies to pageable memory use pinned memory; those from it do not", apply};

}  // namespace gputrace::analyzer
