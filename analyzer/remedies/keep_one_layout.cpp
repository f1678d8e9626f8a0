// One layout throughout: kernels that change it are left out.
#include "analyzer/kernel_share.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  return leave_out_kernels(input, graph, is_layout_conversion, "kernels that change the layout");
}

}  // namespace

extern const Remedy keep_one_layout;
constinit const Remedy keep_one_layout{"keep-one-layout", "one layout throughout: no transposes, no NCHW <-> NHWC", apply};

}  // namespace gputrace::analyzer
