#include "trainer/scenario.h"

#include <algorithm>
#include <vector>

namespace trainer {

namespace {

Configuration resnet_on_titan_x() {
  Configuration configuration;
  configuration.model = ModelKind::resnet;
  configuration.gpus = 4;
  configuration.batch_per_gpu = 128;
  return configuration;
}

Configuration newer_resnet(Layout layout, BatchNormStyle batch_norm) {
  Configuration configuration = resnet_on_titan_x();
  configuration.framework = FrameworkVersion::newer;
  configuration.style.layout = layout;
  configuration.style.batch_norm = batch_norm;
  return configuration;
}

// The peer: its convolutions pad, its batch norm is one kernel, and each weight is updated on the CPU during the next
// batch's forward pass.
Configuration peer_resnet() {
  Configuration configuration = resnet_on_titan_x();
  configuration.style.layout = Layout::nchw;
  configuration.style.batch_norm = BatchNormStyle::fused;
  configuration.style.padding = PaddingStyle::fused;
  configuration.update = UpdateStyle::host_overlapped;
  return configuration;
}

// A global batch of 64, fed from the numpy array that the program made: pageable memory.
Configuration mlp_on_gtx_1060(int gpus) {
  Configuration configuration;
  configuration.model = ModelKind::mlp;
  configuration.gpus = gpus;
  configuration.batch_per_gpu = 64 / gpus;
  configuration.pinned_host_memory = false;
  configuration.feed_each_step = true;
  return configuration;
}

Configuration with_real_data(Configuration configuration) {
  configuration.real_data = true;
  configuration.readers = 2;
  configuration.prefetch = 0;
  return configuration;
}

std::vector<Scenario> make_scenarios() {
  Configuration one_gpu = mlp_on_gtx_1060(1);
  one_gpu.update = UpdateStyle::all_reduce;  // nothing to exchange: weights and update stay on the GPU
  Configuration on_cpu = mlp_on_gtx_1060(2);
  on_cpu.placement = OpPlacement::cpu;
  std::vector<Scenario> all = {
      {"A-base", "residual network, 4 towers, explicit padding and broadcast kernels, dummy data",
       "4x-titan-x", resnet_on_titan_x()},
      {"A-mxnet", "the peer: NCHW, fused kernels, weights updated on the CPU beside the next forward pass", "4x-titan-x",
       peer_resnet()},
      {"A-nhwc", "A-base with the framework's newer version", "4x-titan-x", newer_resnet(Layout::nhwc, BatchNormStyle::unfused)},
      {"A-base-real", "A-base with images, read and distorted when a step asks for them", "4x-titan-x", with_real_data(resnet_on_titan_x())},
      {"A-nhwc-real", "A-nhwc with images, read and distorted when a step asks for them", "4x-titan-x",
       with_real_data(newer_resnet(Layout::nhwc, BatchNormStyle::unfused))},
      {"A-nchw-naive-bn", "NCHW, batch norm written with broadcast [1,C,1,1] weights", "4x-titan-x",
       newer_resnet(Layout::nchw, BatchNormStyle::naive)},
      {"A-nchw-transposed-bn", "NCHW, transposes before and after each batch norm, which is written for NHWC", "4x-titan-x",
       newer_resnet(Layout::nchw, BatchNormStyle::transposed)},
      {"B-1gpu", "six sigmoid layers, no split, all on GPU 0", "2x-gtx-1060", one_gpu},
      {"B-tower-cpu", "the same split over 2 GPUs, a nested /cpu:0 puts every op on the CPU", "2x-gtx-1060",
       on_cpu},
      {"B-tower", "the same with the nested /cpu:0 removed", "2x-gtx-1060", mlp_on_gtx_1060(2)},
  };
  for (Scenario& scenario : all) scenario.configuration.scenario = scenario.name;
  return all;
}

}  // namespace

std::span<const Scenario> scenarios() {
  static const std::vector<Scenario> all = make_scenarios();
  return all;
}

const Scenario* find_scenario(std::string_view name) {
  const auto all = scenarios();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Scenario& it) { return it.name == name; });
  return found == all.end() ? nullptr : &*found;
}

const Scenario& default_scenario(ModelKind model) {
  const auto all = scenarios();
  return *std::find_if(all.begin(), all.end(),
                       [&](const Scenario& it) { return it.configuration.model == model; });
}

}  // namespace trainer
