#include "trainer/cuda/kernel_cases.h"

#include <fmt/format.h>

#include "trainer/ops/ops.h"

namespace trainer::cuda {

namespace {

Tensor* variable(Graph& graph, Shape shape) {
  Tensor* tensor = graph.persistent(std::move(shape));
  tensor->differentiable = true;
  return tensor;
}

// The op's gradients too, for a gradient of y that differs from value to value.
void differentiate(Graph& graph, Tensor* y) {
  Tensor* loss = mean_of_all(graph, multiply(graph, y, graph.persistent(y->shape)));
  graph.backward(loss, fill(graph, {}, 1));
}

void add_elementwise(std::vector<KernelCase>& cases) {
  using Unary = Tensor* (*)(Graph&, Tensor*);
  const auto unary = [&](const char* name, Unary op, float lowest, float highest) {
    cases.push_back({name, [op](Graph& graph) { differentiate(graph, op(graph, variable(graph, {7, 5, 13}))); }, lowest, highest});
  };
  unary("relu", relu, -1, 1);
  unary("sigmoid", sigmoid, -4, 4);
  unary("negate", negate, -1, 1);
  unary("1/sqrt", reciprocal_square_root, 0.5F, 1.5F);
  unary("+ c", [](Graph& graph, Tensor* x) { return add_scalar(graph, x, 0.7F); }, -1, 1);
  unary("* c", [](Graph& graph, Tensor* x) { return multiply_scalar(graph, x, 0.7F); }, -1, 1);
  unary("/ c", [](Graph& graph, Tensor* x) { return divide_scalar(graph, x, 0.7F); }, -1, 1);
}

void add_binary(std::vector<KernelCase>& cases) {
  using Binary = Tensor* (*)(Graph&, Tensor*, Tensor*);
  const std::vector<std::pair<const char*, Binary>> ops{
      {"+", add}, {"-", subtract}, {"*", multiply}, {"(a - b)^2", squared_difference_to_constant}};
  const std::vector<std::pair<const char*, std::pair<Shape, Shape>>> fits{
      {"same", {{3, 5, 2, 7}, {3, 5, 2, 7}}}, {"rows", {{300, 37}, {37}}}, {"channels", {{3, 5, 7, 9}, {1, 5, 1, 1}}}, {"scalar", {{1031}, {}}}};
  for (const auto& [op_name, op] : ops) {
    for (const auto& [fit, shapes] : fits) {
      cases.push_back({fmt::format("{}, {}", op_name, fit),
                       [op = op, shapes = shapes](Graph& graph) {
                         differentiate(graph, op(graph, variable(graph, shapes.first), variable(graph, shapes.second)));
                       }});
    }
  }
  for (const int parts : {2, 3, 5, 300}) {
    cases.push_back({fmt::format("sum of {}", parts), [parts](Graph& graph) {
                       std::vector<Tensor*> all;
                       for (int i = 0; i < parts; ++i) all.push_back(variable(graph, {11, 17}));
                       add_n(graph, all);
                     }});
  }
}

void add_rearranging(std::vector<KernelCase>& cases) {
  cases.push_back({"pad", [](Graph& graph) {
                     differentiate(graph, pad(graph, variable(graph, {3, 5, 7, 2}), {{{0, 0}, {1, 2}, {3, 0}, {2, 1}}}));
                   }});
  for (const Layout layout : {Layout::nhwc, Layout::nchw}) {
    const char* name = layout == Layout::nhwc ? "NHWC" : "NCHW";
    const Shape shape = shape_of({3, 7, 10, 5}, layout);
    cases.push_back({fmt::format("every second pixel, {}", name), [=](Graph& graph) {
                       differentiate(graph, strided_slice(graph, variable(graph, shape), 2, layout));
                     }});
    cases.push_back({fmt::format("transpose from {}", name), [=](Graph& graph) {
                       differentiate(graph, transpose(graph, variable(graph, shape), layout));
                     }});
    cases.push_back({fmt::format("average pool, {}", name), [=](Graph& graph) {
                       differentiate(graph, global_average_pool(graph, variable(graph, shape_of({3, 13, 11, 5}, layout)), layout));
                     }});
  }
}

void add_reductions(std::vector<KernelCase>& cases) {
  // On both sides of what Eigen leaves to one thread per sum (32 values), and of one block's work.
  for (const std::int64_t rows : {5, 32, 33, 20'011}) {
    cases.push_back({fmt::format("mean of {} rows", rows), [rows](Graph& graph) {
                       differentiate(graph, mean_over_rows(graph, variable(graph, {rows, 37})));
                     }});
  }
  cases.push_back({"sum of rows", [](Graph& graph) { sum_over_rows(graph, variable(graph, {4099, 19})); }});
  cases.push_back({"sum per channel", [](Graph& graph) { sum_per_channel(graph, variable(graph, {5, 7, 9, 11})); }});
  cases.push_back({"mean per channel", [](Graph& graph) {
                     differentiate(graph, mean_per_channel(graph, variable(graph, {5, 7, 9, 11})));
                   }});
  for (const std::int64_t elements : {1, 32'768, 32'769, 100'003}) {
    cases.push_back({fmt::format("mean of all {}", elements), [elements](Graph& graph) {
                       differentiate(graph, mean_of_all(graph, variable(graph, {elements})));
                     }});
  }
}

void add_products(std::vector<KernelCase>& cases) {
  cases.push_back({"matrix product", [](Graph& graph) {
                     differentiate(graph, matmul(graph, variable(graph, {3, 17, 41}), variable(graph, {41, 23})));
                   }});
}

// Rows, columns and sums on both sides of the tiles' sizes (64, 32, 16), and enough pixels for slices of the filter's gradient.
void add_convolutions(std::vector<KernelCase>& cases) {
  struct Size {
    std::int64_t images, height, width, in, kernel, out, stride, padding;
  };
  const Size sizes[] = {{2, 7, 9, 3, 3, 5, 1, 1},   {3, 8, 8, 17, 3, 33, 1, 1}, {2, 9, 7, 4, 3, 6, 2, 1},
                        {1, 5, 5, 2, 5, 3, 1, 2},   {2, 6, 6, 5, 1, 4, 1, 0},   {2, 8, 8, 3, 1, 5, 2, 0},
                        {7, 20, 18, 6, 3, 40, 1, 1}, {9, 20, 20, 3, 3, 8, 2, 1}};
  for (const Layout layout : {Layout::nhwc, Layout::nchw}) {
    for (const PaddingStyle style : {PaddingStyle::fused, PaddingStyle::explicit_ops}) {
      for (const Size& s : sizes) {
        cases.push_back({fmt::format("convolution, {}, {}, {}x{}x{}x{}, {}x{} to {}, stride {}", layout == Layout::nhwc ? "NHWC" : "NCHW",
                                     style == PaddingStyle::fused ? "pads itself" : "padded before", s.images, s.height, s.width, s.in,
                                     s.kernel, s.kernel, s.out, s.stride),
                         [=](Graph& graph) {
                           Tensor* x = variable(graph, shape_of({s.images, s.height, s.width, s.in}, layout));
                           Tensor* filter = variable(graph, {s.kernel, s.kernel, s.in, s.out});
                           differentiate(graph, convolution(graph, x, filter, s.stride, s.padding, style, layout));
                         }});
      }
    }
  }
}

void add_batch_norm_and_loss(std::vector<KernelCase>& cases) {
  for (const Layout layout : {Layout::nhwc, Layout::nchw}) {
    for (const std::int64_t side : {3, 15}) {  // fewer values than threads in a block, and more
      cases.push_back({fmt::format("batch norm, {}, {} values a channel", layout == Layout::nhwc ? "NHWC" : "NCHW", 5 * side * side),
                       [=](Graph& graph) {
                         Tensor* x = variable(graph, shape_of({5, side, side, 35}, layout));
                         differentiate(graph, fused_batch_norm(graph, x, variable(graph, {35}), variable(graph, {35}), layout));
                       }});
    }
  }
  // The caller fills the tensor of this name with class indices.
  cases.push_back({"cross entropy", [](Graph& graph) {
                     Tensor* labels = graph.persistent({57});
                     labels->name = "labels";
                     Tensor* loss = softmax_cross_entropy(graph, variable(graph, {57, 7}), labels);
                     graph.backward(loss, fill(graph, {}, 1));
                   }});
}

void add_updates(std::vector<KernelCase>& cases) {
  cases.push_back({"momentum", [](Graph& graph) {
                     apply_momentum(graph, variable(graph, {331}), variable(graph, {331}), variable(graph, {331}), 0.05F, 0.9F);
                   }});
  cases.push_back({"Adam", [](Graph& graph) {
                     Tensor* step = variable(graph, {});
                     apply_adam(graph, variable(graph, {331}), variable(graph, {331}), variable(graph, {331}), variable(graph, {331}), {}, step);
                     advance_step(graph, step);
                   }, 0.1F, 2});
  for (const float limit : {0.5F, 1e6F}) {
    cases.push_back({fmt::format("clip at {}", limit), [limit](Graph& graph) {
                       clip_by_global_norm(graph, {variable(graph, {331}), variable(graph, {40'009})}, limit);
                     }});
  }
}

}  // namespace

std::vector<KernelCase> kernel_cases() {
  std::vector<KernelCase> cases;
  for (const auto add_group : {add_elementwise, add_binary, add_rearranging, add_reductions, add_products, add_convolutions,
                               add_batch_norm_and_loss, add_updates})
    add_group(cases);
  return cases;
}

}  // namespace trainer::cuda
