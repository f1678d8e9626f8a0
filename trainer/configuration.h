// What one run trains and how: the choices behind the command line's switches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "trainer/faults.h"
#include "trainer/models/model.h"

namespace trainer {

enum class ModelKind : std::uint8_t { resnet, mlp };
enum class OpPlacement : std::uint8_t {
  gpu,
  cpu,  // every op is asked for on its GPU, but a nested device scope puts it on the CPU
};
enum class FrameworkVersion : std::uint8_t { older, newer };  // the newer one hands out ops faster
enum class UpdateStyle : std::uint8_t {
  host,  // weights live on the host: copied to each tower, gradients copied back, averaged and applied there
  host_overlapped,  // the same, but each variable is updated while the next step's forward pass runs: a tower waits for
                    // a variable where it first needs it
  gpu0,             // the same as host, with weights, average and update on GPU 0
  all_reduce,  // weights live on each GPU: gradients are summed in a ring of peer copies, each GPU applies
               // them
};

struct Configuration {
  std::string scenario;  // empty where the run follows none
  ModelKind model = ModelKind::resnet;
  int gpus = 1;
  std::int64_t batch_per_gpu = 128;
  int steps = 10;
  FrameworkVersion framework = FrameworkVersion::older;
  OpPlacement placement = OpPlacement::gpu;
  UpdateStyle update = UpdateStyle::host;
  ResnetStyle style;
  bool pinned_host_memory = true;  // of everything that is copied between host and GPU
  bool feed_each_step = false;     // false: dummy data is put on the GPU once
  bool feed_ahead = false;         // where it is fed in each step: the next batch is copied while a step computes
  bool real_data = false;          // of CIFAR-10's size, read ahead by threads of their own; feeds in each step
  std::string data_folder;         // of CIFAR-10; empty where only the times count
  int readers = 4;                 // threads
  int prefetch = 4;                // batches that wait beyond those in use; 0: read when a step asks for them
  bool peer_access = true;         // of GPUs to each other's memory, where the machine has it
  std::size_t bucket_bytes = 1 << 20;  // of gradients that all-reduce sums together, at least: three buckets in the residual network
  int streams = 1;                 // of each tower; independent ops run side by side
  bool arithmetic = true;
  Faults faults;
  std::uint64_t seed = 1;
  // The models at their published size; tests shrink them.
  ResnetShape resnet;
  MlpShape mlp;
};

}  // namespace trainer
