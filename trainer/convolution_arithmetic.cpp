#include "trainer/convolution_arithmetic.h"

#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <unordered_map>
#include <utility>

#include "trainer/cpu_threads.h"

namespace trainer {

namespace {

using Tag = dnnl::memory::format_tag;
using Arguments = std::unordered_map<int, dnnl::memory>;

constexpr auto kFloat = dnnl::memory::data_type::f32;

dnnl::engine& cpu() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

Tag images_tag(const ConvolutionGeometry& g) { return g.layout == Layout::nhwc ? Tag::nhwc : Tag::nchw; }

struct Descriptors {
  dnnl::memory::desc x, filter, filter_in_kernel_layout, y;
  dnnl::memory::dims strides, padding;

  explicit Descriptors(const ConvolutionGeometry& g)
      : x({g.images, g.in_channels, g.height, g.width}, kFloat, images_tag(g)),
        filter({g.out_channels, g.in_channels, g.kernel, g.kernel}, kFloat, Tag::hwio),
        filter_in_kernel_layout({g.out_channels, g.in_channels, g.kernel, g.kernel}, kFloat, Tag::any),
        y({g.images, g.out_channels, g.out_height(), g.out_width()}, kFloat, images_tag(g)),
        strides{g.stride, g.stride},
        padding{g.padding, g.padding} {}

  dnnl::convolution_forward::primitive_desc forward() const {
    return {{dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, x,
             filter_in_kernel_layout, y, strides, padding, padding},
            cpu()};
  }
};

}  // namespace

double ConvolutionGeometry::flops() const {
  const double taps = static_cast<double>(kernel * kernel * in_channels);
  return 2 * taps * static_cast<double>(images * out_height() * out_width() * out_channels);
}

struct ConvolutionArithmetic::Prepared {
  dnnl::primitive primitive;
  dnnl::memory x, filter, y;             // over the caller's data
  dnnl::memory filter_in_kernel_layout;  // our own
  dnnl::stream stream{cpu()};

  Prepared(ConvolutionPass pass, const Descriptors& d)
      : x(d.x, cpu(), nullptr), filter(d.filter, cpu(), nullptr), y(d.y, cpu(), nullptr) {
    const auto hint = d.forward();
    const auto direct = dnnl::algorithm::convolution_direct;
    if (pass == ConvolutionPass::forward) {
      primitive = dnnl::convolution_forward(hint);
      filter_in_kernel_layout = dnnl::memory(hint.weights_desc(), cpu());
    } else if (pass == ConvolutionPass::backward_data) {
      const dnnl::convolution_backward_data::primitive_desc backward(
          {direct, d.x, d.filter_in_kernel_layout, d.y, d.strides, d.padding, d.padding}, cpu(), hint);
      primitive = dnnl::convolution_backward_data(backward);
      filter_in_kernel_layout = dnnl::memory(backward.weights_desc(), cpu());
    } else {
      const dnnl::convolution_backward_weights::primitive_desc backward(
          {direct, d.x, d.filter_in_kernel_layout, d.y, d.strides, d.padding, d.padding}, cpu(), hint);
      primitive = dnnl::convolution_backward_weights(backward);
      filter_in_kernel_layout = dnnl::memory(backward.diff_weights_desc(), cpu());
    }
  }
};

ConvolutionArithmetic::ConvolutionArithmetic(ConvolutionPass pass, const ConvolutionGeometry& geometry)
    : pass_(pass), geometry_(geometry) {}

ConvolutionArithmetic::~ConvolutionArithmetic() = default;

void ConvolutionArithmetic::run(const float* a, const float* b, float* result) {
  use_one_cpu_thread();
  if (!prepared_) prepared_ = std::make_unique<Prepared>(pass_, Descriptors(geometry_));
  Prepared& p = *prepared_;
  // oneDNN takes no pointers to const; what a pass reads, it does not write.
  auto* first = const_cast<float*>(a);
  auto* second = const_cast<float*>(b);
  switch (pass_) {
    case ConvolutionPass::forward:
      p.x.set_data_handle(first);
      p.filter.set_data_handle(second);
      p.y.set_data_handle(result);
      dnnl::reorder(p.filter, p.filter_in_kernel_layout)
          .execute(p.stream, p.filter, p.filter_in_kernel_layout);
      p.primitive.execute(
          p.stream,
          Arguments{{DNNL_ARG_SRC, p.x}, {DNNL_ARG_WEIGHTS, p.filter_in_kernel_layout}, {DNNL_ARG_DST, p.y}});
      break;
    case ConvolutionPass::backward_data:
      p.y.set_data_handle(first);
      p.filter.set_data_handle(second);
      p.x.set_data_handle(result);
      dnnl::reorder(p.filter, p.filter_in_kernel_layout)
          .execute(p.stream, p.filter, p.filter_in_kernel_layout);
      p.primitive.execute(p.stream, Arguments{{DNNL_ARG_DIFF_DST, p.y},
                                              {DNNL_ARG_WEIGHTS, p.filter_in_kernel_layout},
                                              {DNNL_ARG_DIFF_SRC, p.x}});
      break;
    case ConvolutionPass::backward_filter:
      p.x.set_data_handle(first);
      p.y.set_data_handle(second);
      p.filter.set_data_handle(result);
      p.primitive.execute(p.stream, Arguments{{DNNL_ARG_SRC, p.x},
                                              {DNNL_ARG_DIFF_DST, p.y},
                                              {DNNL_ARG_DIFF_WEIGHTS, p.filter_in_kernel_layout}});
      dnnl::reorder(p.filter_in_kernel_layout, p.filter)
          .execute(p.stream, p.filter_in_kernel_layout, p.filter);
      break;
  }
  p.stream.wait();
}

}  // namespace trainer
