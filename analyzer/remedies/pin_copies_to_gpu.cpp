// Copies from pageable memory come from pinned memory instead; those to it stay as they are.
#include "analyzer/pinning.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) { return pin_pageable_copies(input, graph, LinkWay::to_device); }

}  // namespace

extern const Remedy pin_copies_to_gpu;
constinit const Remedy pin_copies_to_gpu{"pin-copies-to-gpu", "copies from pageable memory use pinned memory; those to it do not", apply};

}  // namespace gputrace::analyzer
