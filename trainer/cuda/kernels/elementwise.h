// Element-wise kernels over operands of one size. Tensors as listed; extents {..., elements}.
#pragma once

#include "trainer/cuda/kernels/views.h"
#include "trainer/kernel_names.h"

namespace trainer::cuda {

// The gradients' formulas are those of trainer/ops/elementwise.cpp.
struct ReciprocalSquareRootGradient {
  EIGEN_DEVICE_FUNC float operator()(float gradient, float y) const { return -0.5F * gradient * y * y * y; }
};
struct SigmoidGradient {
  EIGEN_DEVICE_FUNC float operator()(float gradient, float y) const { return gradient * y * (1 - y); }
};
struct ClipFactor {
  float limit;
  EIGEN_DEVICE_FUNC float operator()(float norm) const { return norm > limit ? limit / norm : 1.0F; }
};

template <class Device>
KernelList<Device> unary_kernels() {
  namespace names = kernel_names;
  return {
      // x, y
      {names::kRelu, {}, [](const Device& device, const KernelCall& call) {
         flat_output(call).device(device) = flat_input(call, 0).cwiseMax(0.0F);
       }},
      {names::kNegate, {}, [](const Device& device, const KernelCall& call) { flat_output(call).device(device) = -flat_input(call, 0); }},
      {names::kSigmoid, {}, [](const Device& device, const KernelCall& call) {
         flat_output(call).device(device) = flat_input(call, 0).sigmoid();
       }},
      {names::kReciprocalSquareRoot, {}, [](const Device& device, const KernelCall& call) {
         flat_output(call).device(device) = flat_input(call, 0).rsqrt();
       }},
      // x, y; c
      {names::kSquareRoot, {}, [](const Device& device, const KernelCall& call) {
         flat_output(call).device(device) = (flat_input(call, 0) * call.scalars[0]).sqrt();
       }},
      {names::kMultiplyScalar, {}, [](const Device& device, const KernelCall& call) {
         flat_output(call).device(device) = flat_input(call, 0) * call.scalars[0];
       }},
      {names::kAddScalar, {}, [](const Device& device, const KernelCall& call) {
         flat_output(call).device(device) = flat_input(call, 0) + call.scalars[0];
       }},
      {names::kDivideScalar, {}, [](const Device& device, const KernelCall& call) {
         flat_output(call).device(device) = flat_input(call, 0) / call.scalars[0];
       }},
      {names::kDivideScalar, names::kClipVariant, [](const Device& device, const KernelCall& call) {
         flat_output(call).device(device) = flat_input(call, 0).unaryExpr(ClipFactor{call.scalars[0]});
       }},
      // y; value
      {names::kFill, {}, [](const Device& device, const KernelCall& call) {
         auto y = flat_output(call);
         y.device(device) = y.constant(call.scalars[0]);
       }},
  };
}

template <class Device>
KernelList<Device> binary_kernels() {
  namespace names = kernel_names;
  return {
      // a, b, y
      {names::kAdd, {}, [](const Device& device, const KernelCall& call) {
         flat_output(call).device(device) = flat_input(call, 0) + flat_input(call, 1);
       }},
      {names::kSubtract, {}, [](const Device& device, const KernelCall& call) {
         flat_output(call).device(device) = flat_input(call, 0) - flat_input(call, 1);
       }},
      {names::kMultiply, {}, [](const Device& device, const KernelCall& call) {
         flat_output(call).device(device) = flat_input(call, 0) * flat_input(call, 1);
       }},
      // dy, y, dx
      {names::kReluGradient, {}, [](const Device& device, const KernelCall& call) {
         const auto gradient = flat_input(call, 0), value = flat_input(call, 1);
         flat_output(call).device(device) = (value > value.constant(0.0F)).select(gradient, gradient.constant(0.0F));
       }},
      {names::kSigmoidGradient, {}, [](const Device& device, const KernelCall& call) {
         flat_output(call).device(device) = flat_input(call, 0).binaryExpr(flat_input(call, 1), SigmoidGradient());
       }},
      {names::kReciprocalSquareRootGradient, {}, [](const Device& device, const KernelCall& call) {
         flat_output(call).device(device) = flat_input(call, 0).binaryExpr(flat_input(call, 1), ReciprocalSquareRootGradient());
       }},
  };
}

// In place: the first tensor is the last one too.
template <class Device>
KernelList<Device> optimizer_kernels() {
  namespace names = kernel_names;
  return {
      // accumulator, gradient, accumulator; momentum
      {names::kMomentumAccumulator, {}, [](const Device& device, const KernelCall& call) {
         flat_output(call).device(device) = flat_input(call, 0) * call.scalars[0] + flat_input(call, 1);
       }},
      // variable, accumulator, variable; learning rate
      {names::kMomentumVariable, {}, [](const Device& device, const KernelCall& call) {
         flat_output(call).device(device) = flat_input(call, 0) - flat_input(call, 1) * call.scalars[0];
       }},
      // moment, gradient, moment; 1 - beta
      {names::kAdamFirstMoment, {}, [](const Device& device, const KernelCall& call) {
         const auto moment = flat_input(call, 0), gradient = flat_input(call, 1);
         flat_output(call).device(device) = moment + (gradient - moment) * call.scalars[0];
       }},
      {names::kAdamSecondMoment, {}, [](const Device& device, const KernelCall& call) {
         const auto moment = flat_input(call, 0), gradient = flat_input(call, 1);
         flat_output(call).device(device) = moment + (gradient.square() - moment) * call.scalars[0];
       }},
  };
}

}  // namespace trainer::cuda
