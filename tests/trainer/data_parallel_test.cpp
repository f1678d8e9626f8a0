#include "trainer/data_parallel.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "recorded_run.h"

using namespace trainer;

namespace {

Configuration small_mlp(int gpus, std::int64_t batch_per_gpu) {
  Configuration configuration;
  configuration.model = ModelKind::mlp;
  configuration.mlp = {.batch = 0, .rows = 3, .features = 8, .blocks = 3};
  configuration.gpus = gpus;
  configuration.batch_per_gpu = batch_per_gpu;
  configuration.feed_each_step = true;
  return configuration;
}

Configuration small_resnet(int gpus, std::int64_t batch_per_gpu) {
  Configuration configuration;
  configuration.model = ModelKind::resnet;
  configuration.resnet = {.batch = 0,
                          .image_size = 8,
                          .image_channels = 3,
                          .first_filters = 4,
                          .stages = 2,
                          .blocks_per_stage = 1,
                          .classes = 4};
  configuration.gpus = gpus;
  configuration.batch_per_gpu = batch_per_gpu;
  return configuration;
}

struct Trained {
  std::vector<float> losses;
  std::vector<float> weights;
};

Trained train(const Configuration& configuration, int steps, const std::string& box = "4x-titan-x") {
  const auto backend = test::box(box);
  DataParallel training(*backend, configuration);
  REQUIRE(training.initialize());
  Trained trained;
  for (int step = 0; step < steps; ++step) trained.losses.push_back(training.run_step(step).loss);
  training.finish();
  for (const Tensor* weights : training.weights()) {
    trained.weights.insert(trained.weights.end(), weights->data, weights->data + weights->elements());
  }
  return trained;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::fabs(static_cast<double>(a[i] - b[i])));
  return largest;
}

}  // namespace

TEST_CASE("four towers train like one with the same global batch") {
  const Trained one = train(small_mlp(1, 8), 5);
  const Trained four = train(small_mlp(4, 2), 5);
  CHECK(largest_difference(one.losses, four.losses) < 1e-6);
  // Adam's first steps divide a gradient by its own size, which turns its rounding into a share of the
  // learning rate.
  CHECK(largest_difference(one.weights, four.weights) < 1e-5);
  CHECK(largest_difference(one.weights, train(small_mlp(1, 8), 4).weights) > 5e-5);  // they do move
}

TEST_CASE("an update on the host, a ring of GPUs and towers on the CPU train alike") {
  for (const int gpus : {1, 2, 3, 4}) {
    Configuration host = small_mlp(gpus, 2), ring = host, cpu = host;
    ring.update = UpdateStyle::all_reduce;
    cpu.placement = OpPlacement::cpu;
    const Trained expected = train(host, 4);
    CHECK(largest_difference(expected.weights, train(ring, 4).weights) < 1e-5);
    CHECK(largest_difference(expected.weights, train(cpu, 4).weights) == 0);
  }
}

TEST_CASE("an overlapped update and one on GPU 0 train as the host's does") {
  for (const int gpus : {1, 3}) {
    Configuration host = small_resnet(gpus, 4), overlapped = host, gpu0 = host;
    overlapped.update = UpdateStyle::host_overlapped;
    gpu0.update = UpdateStyle::gpu0;
    const Trained expected = train(host, 4);
    CHECK(train(overlapped, 4).losses == expected.losses);
    CHECK(train(overlapped, 4).weights == expected.weights);
    CHECK(largest_difference(train(gpu0, 4).weights, expected.weights) < 1e-5);
  }
}

TEST_CASE("ops spread over streams train as in one stream") {
  for (const UpdateStyle update : {UpdateStyle::host, UpdateStyle::host_overlapped, UpdateStyle::gpu0, UpdateStyle::all_reduce}) {
    Configuration one = small_resnet(2, 4);
    one.update = update;
    const Trained expected = train(one, 3);
    for (const int streams : {2, 5}) {
      Configuration many = one;
      many.streams = streams;
      const Trained spread = train(many, 3);
      CHECK(spread.losses == expected.losses);
      CHECK(spread.weights == expected.weights);
    }
  }
}

TEST_CASE("gradients reduced in buckets, beside the backward pass or after it, train as in one bucket") {
  Configuration one = small_resnet(3, 4);
  one.update = UpdateStyle::all_reduce;
  const Trained expected = train(one, 4);
  for (const std::size_t bucket_bytes : {std::size_t{1}, std::size_t{600}}) {
    Configuration many = one;
    many.bucket_bytes = bucket_bytes;
    CHECK(largest_difference(train(many, 4).weights, expected.weights) < 1e-5);
    many.faults.collective_on_compute_stream = true;
    CHECK(largest_difference(train(many, 4).weights, expected.weights) < 1e-5);
    many.faults.serialized_towers = true;
    CHECK(largest_difference(train(many, 4).weights, expected.weights) < 1e-5);
  }
}

TEST_CASE("more towers than GPUs share them, and train as on GPUs of their own") {
  Configuration six = small_resnet(6, 4);
  const Trained shared = train(six, 3), own = train(six, 3, "8x-h100-nvswitch");
  CHECK(shared.losses == own.losses);
  six.update = UpdateStyle::all_reduce;
  CHECK(largest_difference(train(six, 3).weights, own.weights) < 1e-5);
}

TEST_CASE("an overlapped update takes its time out of the step") {
  Configuration host = small_resnet(2, 8), overlapped = host;
  host.arithmetic = overlapped.arithmetic = false;
  overlapped.update = UpdateStyle::host_overlapped;
  const auto second_step_ns = [](const Configuration& configuration) {
    const auto backend = test::box("4x-titan-x");
    DataParallel training(*backend, configuration);
    REQUIRE(training.initialize());
    training.run_step(0);
    return training.run_step(1).duration_ns;
  };
  CHECK(second_step_ns(overlapped) < second_step_ns(host));
}

TEST_CASE("all layouts and batch norms train alike") {
  const Configuration base = small_resnet(1, 8);
  const Trained expected = train(base, 3);
  using Style = std::pair<Layout, BatchNormStyle>;
  for (const auto& [layout, batch_norm] : {Style{Layout::nhwc, BatchNormStyle::fused}, Style{Layout::nchw, BatchNormStyle::fused},
                                           Style{Layout::nchw, BatchNormStyle::naive},
                                           Style{Layout::nchw, BatchNormStyle::transposed}}) {
    Configuration other = base;
    other.style.layout = layout;
    other.style.batch_norm = batch_norm;
    CHECK(largest_difference(expected.losses, train(other, 3).losses) < 1e-3);
  }
}

TEST_CASE("pageable memory changes no value") {
  Configuration pinned = small_resnet(2, 8), pageable = pinned;
  pageable.pinned_host_memory = false;
  CHECK(train(pinned, 2).weights == train(pageable, 2).weights);
}

TEST_CASE("the loss falls") {
  const Trained resnet = train(small_resnet(2, 16), 20);
  CHECK(resnet.losses.back() < 0.5F * resnet.losses.front());
  CHECK(resnet.losses.front() >
        std::log(4.0F) / 2);  // near the logarithm of the number of classes before training
  const Trained mlp = train(small_mlp(2, 4), 20);
  CHECK(mlp.losses.back() < mlp.losses.front());
}

TEST_CASE("explicit and fused padding train alike") {
  Configuration with_ops = small_resnet(1, 8), fused = with_ops;
  fused.style.padding = PaddingStyle::fused;
  CHECK(largest_difference(train(with_ops, 3).losses, train(fused, 3).losses) < 1e-3);
}

TEST_CASE("another seed gives other weights and data") {
  Configuration first = small_resnet(1, 8), second = first;
  second.seed = 2;
  CHECK(train(first, 1).losses != train(second, 1).losses);
}

TEST_CASE("without arithmetic nothing is stored and times are the same") {
  Configuration on = small_resnet(2, 8), off = on;
  off.arithmetic = false;
  const auto first = test::box("4x-titan-x"), second = test::box("4x-titan-x");
  DataParallel with(*first, on), without(*second, off);
  REQUIRE(with.initialize());
  REQUIRE(without.initialize());
  CHECK(without.weights().front()->data == nullptr);
  for (int step = 0; step < 2; ++step) {
    CHECK(with.run_step(step).duration_ns == without.run_step(step).duration_ns);
  }
}
