#include "tests/trainer/cuda/small_run.h"

#include <catch2/catch.hpp>

#include "trainer/options.h"

namespace trainer::test {

Configuration small_run(const std::vector<const char*>& arguments) {
  std::vector<const char*> argv{"trainer"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const auto options = parse_options(static_cast<int>(argv.size()), argv.data(), nullptr);
  REQUIRE(options);
  Configuration run = options->configuration;
  run.batch_per_gpu = 3;
  run.steps = 3;
  run.resnet = {.image_size = 8, .first_filters = 5, .stages = 2, .blocks_per_stage = 1, .classes = 7};
  if (run.real_data) run.resnet.image_size = 32;  // CIFAR-10's, whatever the model would like
  run.mlp = {.rows = 5, .features = 9, .blocks = 2};
  run.bucket_bytes = 4096;  // more than one bucket
  return run;
}

const std::vector<std::vector<const char*>>& runs_of_every_kind() {
  static const std::vector<std::vector<const char*>> runs{
      {"--scenario", "A-base", "--gpus", "1"},
      {"--scenario", "A-base"},
      {"--scenario", "A-nhwc", "--batch-norm", "fused", "--gpus", "2"},
      {"--scenario", "A-mxnet", "--gpus", "2"},
      {"--scenario", "A-nchw-naive-bn", "--gpus", "2"},
      {"--scenario", "A-nchw-transposed-bn", "--gpus", "2"},
      {"--scenario", "A-base", "--padding", "fused", "--update", "gpu0"},
      {"--scenario", "A-nhwc", "--batch-norm", "fused", "--update", "all-reduce"},
      {"--scenario", "A-nhwc-real", "--gpus", "2"},
      {"--scenario", "A-base", "--update", "all-reduce", "--peer", "off"},
      {"--scenario", "A-base", "--update", "host-overlapped"},
      {"--scenario", "A-base", "--pinned", "off", "--gpus", "2"},
      {"--scenario", "A-nhwc", "--streams", "3", "--gpus", "2"},
      {"--scenario", "B-1gpu"},
      {"--scenario", "B-tower"},
      {"--scenario", "B-tower", "--update", "gpu0"},
      {"--scenario", "B-tower", "--update", "all-reduce"},
  };
  return runs;
}

std::string text_of(const std::vector<const char*>& arguments) {
  std::string text;
  for (const char* argument : arguments) text += std::string(text.empty() ? "" : " ") + argument;
  return text;
}

}  // namespace trainer::test
