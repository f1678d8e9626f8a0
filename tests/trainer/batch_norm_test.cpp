// Batch norm in its four forms, and the ops that only NCHW has.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "graph_check.h"
#include "trainer/kernel_names.h"
#include "trainer/models/model.h"

using namespace trainer;
using trainer::test::largest_gradient_error;

namespace {

constexpr double kTolerance = 5e-3;

auto fused_in(Layout layout) {
  return [layout](Graph& g, const std::vector<Tensor*>& v) { return fused_batch_norm(g, v[0], v[1], v[2], layout); };
}

// The values of y, as NHWC, for x whose value is a function of image, pixel and channel.
std::vector<float> normalized(Layout layout, BatchNormStyle style) {
  const ImageSize size{3, 2, 2, 2};
  Graph graph("test", test::gpu(0));
  Tensor* x = graph.persistent(shape_of(size, layout));
  const Shape weights = style == BatchNormStyle::naive ? Shape{1, 2, 1, 1} : Shape{2};
  Tensor *scale = graph.persistent(weights), *offset = graph.persistent(weights);
  Tensor* y = nullptr;
  if (style == BatchNormStyle::fused) y = fused_batch_norm(graph, x, scale, offset, layout);
  if (style == BatchNormStyle::naive || style == BatchNormStyle::unfused) y = batch_norm(graph, x, scale, offset);
  REQUIRE(y);
  test::GraphRun run(graph);
  std::vector<float> nhwc(24);
  for (int i = 0; i < 24; ++i) nhwc[static_cast<std::size_t>(i)] = std::sin(static_cast<float>(i)) * 3 + static_cast<float>(i % 2);
  if (layout == Layout::nchw)
    change_layout(nhwc.data(), Layout::nhwc, size, x->data);
  else
    std::copy(nhwc.begin(), nhwc.end(), x->data);
  scale->data[0] = 2, scale->data[1] = 0.5F, offset->data[0] = 1, offset->data[1] = -1;
  run.run();
  if (layout == Layout::nchw)
    change_layout(y->data, Layout::nchw, size, nhwc.data());
  else
    std::copy_n(y->data, 24, nhwc.begin());
  return nhwc;
}

}  // namespace

TEST_CASE("gradients of the fused batch norm in both layouts") {
  CHECK(largest_gradient_error({{4, 2, 2, 3}, {3}, {3}}, fused_in(Layout::nhwc)) < kTolerance);
  CHECK(largest_gradient_error({{4, 3, 2, 2}, {3}, {3}}, fused_in(Layout::nchw)) < kTolerance);
}

TEST_CASE("gradients of the naive batch norm: broadcasts and sums over the channels of NCHW") {
  const auto naive = [](Graph& g, const std::vector<Tensor*>& v) { return batch_norm(g, v[0], v[1], v[2]); };
  CHECK(largest_gradient_error({{4, 3, 2, 2}, {1, 3, 1, 1}, {1, 3, 1, 1}}, naive) < kTolerance);
}

TEST_CASE("gradients of the ops that have a layout of their own in NCHW") {
  CHECK(largest_gradient_error({{2, 3, 2, 4}}, [](Graph& g, auto v) { return transpose(g, v[0], Layout::nchw); }) < kTolerance);
  CHECK(largest_gradient_error({{2, 3, 2, 4}}, [](Graph& g, auto v) { return transpose(g, v[0], Layout::nhwc); }) < kTolerance);
  CHECK(largest_gradient_error({{2, 3, 2, 4}}, [](Graph& g, auto v) { return global_average_pool(g, v[0], Layout::nchw); }) <
        kTolerance);
  CHECK(largest_gradient_error({{2, 3, 5, 4}}, [](Graph& g, auto v) { return strided_slice(g, v[0], 2, Layout::nchw); }) <
        kTolerance);
  CHECK(largest_gradient_error({{2, 3, 2, 4}}, [](Graph& g, auto v) { return mean_per_channel(g, v[0]); }) < kTolerance);
  for (const PaddingStyle style : {PaddingStyle::explicit_ops, PaddingStyle::fused}) {
    for (const std::int64_t stride : {1, 2}) {
      CHECK(largest_gradient_error({{2, 3, 6, 5}, {3, 3, 3, 4}}, [=](Graph& g, auto v) {
              return convolution(g, v[0], v[1], stride, 1, style, Layout::nchw);
            }) < kTolerance);
    }
  }
}

TEST_CASE("all forms of batch norm compute the same") {
  const std::vector<float> expected = normalized(Layout::nhwc, BatchNormStyle::unfused);
  for (const auto& values : {normalized(Layout::nhwc, BatchNormStyle::fused), normalized(Layout::nchw, BatchNormStyle::fused),
                             normalized(Layout::nchw, BatchNormStyle::naive)}) {
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(values[i] == Approx(expected[i]).margin(1e-4));
  }
}

TEST_CASE("which batch norm goes with which layout") {
  CHECK(mismatch(Layout::nhwc, BatchNormStyle::unfused).empty());
  CHECK(mismatch(Layout::nhwc, BatchNormStyle::fused).empty());
  CHECK(mismatch(Layout::nchw, BatchNormStyle::fused).empty());
  CHECK(mismatch(Layout::nchw, BatchNormStyle::naive).empty());
  CHECK(mismatch(Layout::nchw, BatchNormStyle::transposed).empty());
  CHECK_FALSE(mismatch(Layout::nhwc, BatchNormStyle::naive).empty());
  CHECK_FALSE(mismatch(Layout::nhwc, BatchNormStyle::transposed).empty());
  CHECK_FALSE(mismatch(Layout::nchw, BatchNormStyle::unfused).empty());
}

TEST_CASE("NCHW convolutions transpose no images; a transposed batch norm has two transposes forward, two backward") {
  Graph graph("tower_0", test::gpu(0));
  build_resnet(graph, {.batch = 2, .image_size = 8, .first_filters = 2, .stages = 1, .blocks_per_stage = 1},
               {.padding = PaddingStyle::fused, .layout = Layout::nchw, .batch_norm = BatchNormStyle::transposed});
  std::map<std::string, int> ops;
  for (const Op& op : graph.ops()) {
    ++ops[op.type];
    if (!op.type.starts_with("Conv2D")) continue;
    for (const KernelLaunch& kernel : op.kernels) CHECK(kernel.mangled_name != kernel_names::kSwapDimensions12);
  }
  CHECK(ops["Rsqrt"] == 3);
  CHECK(ops["FusedBatchNorm"] == 0);
  CHECK(ops["Transpose"] == 4 * 3);
}
