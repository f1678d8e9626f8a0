// What copies from and to pageable memory become once that memory is pinned.
#pragma once

#include <optional>

#include "analyzer/host_links.h"
#include "analyzer/remedy.h"

namespace gputrace::analyzer {

// They run at what pinned copies get of the link, begin without being staged, and the host does not wait for them. Memory is taken to be
// pinned once, before the window. `only`: those of one direction; nullopt: both.
Applied pin_pageable_copies(const RemedyInput& input, ChangedGraph& graph, std::optional<LinkWay> only);

}  // namespace gputrace::analyzer
