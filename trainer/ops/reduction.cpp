#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "trainer/kernel_names.h"
#include "trainer/launch_shape.h"
#include "trainer/ops/ops.h"

namespace trainer {

namespace names = kernel_names;

namespace {

// Sums in double: a row count of 131072 loses four digits of a float sum.
void sum_rows(const Tensor& x, Tensor& y, double scale) {
  const std::int64_t columns = y.elements(), rows = x.elements() / columns;
  std::vector<double> sums(static_cast<std::size_t>(columns), 0.0);
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* from = x.data + row * columns;
    for (std::int64_t column = 0; column < columns; ++column)
      sums[static_cast<std::size_t>(column)] += from[column];
  }
  for (std::int64_t column = 0; column < columns; ++column) {
    y.data[column] = static_cast<float>(sums[static_cast<std::size_t>(column)] * scale);
  }
}

Tensor* reduce_rows(Graph& graph, std::string type, std::string_view kernel, Tensor* x, double scale) {
  Tensor* y = graph.temporary({x->shape.last()});
  const Work work = streaming_work(x->elements(), 1);
  graph.add({.type = std::move(type),
             .inputs = {x},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(column_reduction_launch(kernel, x->elements() / y->elements(), y->elements(), work),
                                       {{x, y}, {1, x->elements() / y->elements(), y->elements()}, {static_cast<float>(scale)}})},
             .arithmetic = [x, y, scale] { sum_rows(*x, *y, scale); }});
  return y;
}

void average_pixels(const Tensor& x, Tensor& y) {
  const std::int64_t images = x.shape[0], pixels = x.shape[1] * x.shape[2], channels = x.shape[3];
  std::fill_n(y.data, y.elements(), 0.0F);
  for (std::int64_t row = 0; row < images * pixels; ++row) {
    float* to = y.data + row / pixels * channels;
    const float* from = x.data + row * channels;
    for (std::int64_t channel = 0; channel < channels; ++channel) to[channel] += from[channel];
  }
  for (std::int64_t i = 0; i < y.elements(); ++i) y.data[i] /= static_cast<float>(pixels);
}

void average_planes(const Tensor& x, Tensor& y) {
  const std::int64_t pixels = x.elements() / y.elements();
  for (std::int64_t plane = 0; plane < y.elements(); ++plane) {
    float sum = 0;
    for (std::int64_t i = plane * pixels; i < (plane + 1) * pixels; ++i) sum += x.data[i];
    y.data[plane] = sum / static_cast<float>(pixels);
  }
}

void sum_channels(const Tensor& x, Tensor& y, double scale) {
  const std::int64_t channels = x.shape[1], pixels = x.shape[2] * x.shape[3];
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    double sum = 0;
    for (std::int64_t image = 0; image < x.shape[0]; ++image) {
      const float* from = x.data + (image * channels + channel) * pixels;
      for (std::int64_t i = 0; i < pixels; ++i) sum += from[i];
    }
    y.data[channel] = static_cast<float>(sum * scale);
  }
}

// A thread per channel adds up N H W values: the time is that of its loads, one after the other.
Tensor* reduce_channels(Graph& graph, std::string type, std::string_view kernel, Tensor* x, double scale) {
  const std::int64_t channels = x->shape[1];
  Tensor* y = graph.temporary({1, channels, 1, 1});
  Work work = streaming_work(x->elements(), 1);
  work.serial_loads = static_cast<double>(x->elements() / channels);
  graph.add({.type = std::move(type),
             .inputs = {x},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(elementwise_launch(kernel, channels, work),
                                       {{x, y}, {x->shape[0], channels, x->shape[2] * x->shape[3]}})},
             .arithmetic = [x, y, scale] { sum_channels(*x, *y, scale); }});
  return y;
}

// x repeats in blocks: `columns` values of x fill `repeats` rows, then come the next `columns`.
void tile_rows(const Tensor& x, Tensor& y) {
  const std::int64_t columns = std::min(x.elements(), y.shape.last());
  const std::int64_t blocks = x.elements() / columns, rows_per_block = y.elements() / columns / blocks;
  for (std::int64_t row = 0; row < blocks * rows_per_block; ++row) {
    std::copy_n(x.data + row / rows_per_block * columns, columns, y.data + row * columns);
  }
}

// A tile as a broadcast of four dimensions: those of x, then how often each repeats.
std::vector<std::int64_t> repeats_of(const Tensor& x, const Tensor& y, std::int64_t neighbours) {
  const std::int64_t elements = x.elements();
  if (neighbours > 1) return {1, elements, 1, 1, y.elements() / (elements * neighbours), 1, neighbours, 1};
  const std::int64_t columns = std::min(elements, y.shape.last()), blocks = elements / columns;
  return {blocks, 1, 1, columns, 1, y.elements() / elements, 1, 1};
}

// As the gradient of tf.reduce_mean: tile to the shape of x, then divide all of it.
void mean_gradient(Graph& graph, Tensor* x, Tensor* dy, std::int64_t neighbours = 1) {
  const auto averaged = static_cast<float>(x->elements() / dy->elements());
  graph.add_gradient(x, divide_scalar(graph, tile(graph, dy, x->shape, neighbours), averaged));
}

}  // namespace

Tensor* sum_over_rows(Graph& graph, Tensor* x) { return reduce_rows(graph, "Sum", names::kOuterSum, x, 1.0); }

Tensor* mean_over_rows(Graph& graph, Tensor* x) {
  const double rows = static_cast<double>(x->elements() / x->shape.last());
  Tensor* y = reduce_rows(graph, "Mean", names::kOuterMean, x, 1.0 / rows);
  graph.differentiate(y, [&graph, x](Tensor* dy) { mean_gradient(graph, x, dy); });
  return y;
}

Tensor* sum_per_channel(Graph& graph, Tensor* x) {
  return reduce_channels(graph, "Sum", names::kSumOfChannels, x, 1.0);
}

Tensor* mean_per_channel(Graph& graph, Tensor* x) {
  const double values = static_cast<double>(x->elements() / x->shape[1]);
  Tensor* y = reduce_channels(graph, "Mean", names::kMeanOfChannels, x, 1.0 / values);
  graph.differentiate(
      y, [&graph, x](Tensor* dy) { mean_gradient(graph, x, dy, x->shape[2] * x->shape[3]); });
  return y;
}

Tensor* mean_of_all(Graph& graph, Tensor* x) {
  Tensor* y = graph.temporary({});
  const Work work = streaming_work(x->elements(), 1);
  graph.add({.type = "Mean",
             .inputs = {x},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(full_reduction_launch(names::kFullMean, x->elements(), work), {{x, y}, {x->elements()}})},
             .arithmetic = [x, y] {
               double sum = 0;
               for (std::int64_t i = 0; i < x->elements(); ++i) sum += x->data[i];
               y->data[0] = static_cast<float>(sum / static_cast<double>(x->elements()));
             }});
  graph.differentiate(y, [&graph, x](Tensor* dy) { mean_gradient(graph, x, dy); });
  return y;
}

Tensor* global_average_pool(Graph& graph, Tensor* x, Layout layout) {
  const ImageSize size = size_of(x->shape, layout);
  const std::int64_t pixels = size.height * size.width;
  const bool pixels_are_neighbours = layout == Layout::nchw;
  Tensor* y = graph.temporary({size.images, size.channels});
  const Work work = streaming_work(x->elements(), 1);
  const KernelLaunch kernel = column_reduction_launch(pixels_are_neighbours ? names::kInnerMean : names::kOuterMean, pixels,
                                                      y->elements(), work);
  const std::vector<std::int64_t> extents = pixels_are_neighbours
                                                ? std::vector<std::int64_t>{y->elements(), pixels}
                                                : std::vector<std::int64_t>{size.images, pixels, size.channels};
  graph.add({.type = "Mean",
             .inputs = {x},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(kernel, {{x, y}, extents, {1.0F / static_cast<float>(pixels)}})},
             .arithmetic = [=] { pixels_are_neighbours ? average_planes(*x, *y) : average_pixels(*x, *y); }});
  graph.differentiate(y, [=, &graph](Tensor* dy) {
    mean_gradient(graph, x, dy, pixels_are_neighbours ? pixels : 1);
  });
  return y;
}

Tensor* tile(Graph& graph, Tensor* x, const Shape& shape, std::int64_t neighbours) {
  Tensor* y = graph.temporary(shape);
  Work work = streaming_work(y->elements(), 1, 0);
  work.index_ops = static_cast<double>(y->elements()) * shape.rank();
  graph.add({.type = "Tile",
             .inputs = {x},
             .outputs = {y},
             .work = work,
             .kernels = {with_operands(elementwise_launch(shape.rank() == 4 ? names::kTile4 : names::kTile2, y->elements(), work),
                                       {{x, y}, repeats_of(*x, *y, neighbours)})},
             .arithmetic = [x, y, neighbours] {
               if (neighbours == 1) return tile_rows(*x, *y);
               for (std::int64_t i = 0; i < y->elements(); ++i) y->data[i] = x->data[i / neighbours % x->elements()];
             }});
  return y;
}

}  // namespace trainer
