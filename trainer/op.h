// An op: one unit of work that the framework hands out, with its operands, its device, the GPU kernels it
// launches there and its arithmetic. And the tensors it reads and writes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trainer/backend.h"
#include "trainer/shape.h"

namespace trainer {

struct Tensor {
  Shape shape;
  std::string name{};  // of the variable, or of the op that computes it; as annotations show it
  // Storage: nullptr until memory is planned, and for good where arithmetic is off.
  float* data = nullptr;
  Buffer buffer{};              // of a tensor that keeps a buffer of its own
  bool persistent = false;      // keeps its value between ops of other graphs and steps: never shares memory
  bool differentiable = false;  // a variable, or computed from one

  std::int64_t elements() const { return shape.elements(); }
};

// Where a graph's ops run. They differ where a nested device scope overrides the one that was asked for.
struct Placement {
  std::string requested;  // "/gpu:0"
  std::string device;     // "/cpu:0"
  bool on_gpu = true;     // of `device`
};

// What an op is made of, before it has a name and a place.
struct OpSpec {
  std::string type;  // "Conv2DBackpropInput"
  std::vector<Tensor*> inputs, outputs;
  Work work;                          // of the op itself, wherever it runs
  std::vector<KernelLaunch> kernels;  // in order, on a GPU; their arithmetic is set by the graph
  std::function<void()> arithmetic;
};

struct Op {
  std::string type, name;  // name: "tower_0/block_1/MatMul"
  std::vector<Tensor*> inputs, outputs;
  Placement placement;
  std::vector<KernelLaunch> kernels;  // on a GPU; the last one computes
  HostWork host_work;                 // on the host
  bool is_backward = false;           // computes a gradient
  bool is_copy = false;               // of inputs[0] to outputs[0], both with a buffer of their own
  double flops = 0;
  // "MatMul, name = tower_0/block_1/MatMul, requested = /gpu:0, device = /cpu:0, inputs = [input, block_1/weights],
  // sizes = [[32000, 1000], [1000, 1000]]"
  std::string annotation;
};

}  // namespace trainer
