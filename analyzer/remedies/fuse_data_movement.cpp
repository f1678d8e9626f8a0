// Padding, broadcasts and casts become part of the kernels beside them.
#include "analyzer/kernel_share.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  return leave_out_kernels(input, graph, is_data_movement, "kernels that pad, broadcast or cast");
}

}  // namespace

extern const Remedy fuse_data_movement;
constinit const Remedy fuse_data_movement{"fuse-data-movement", "padding, broadcasts and casts become part of the kernels beside them", apply};

}  // namespace gputrace::analyzer
