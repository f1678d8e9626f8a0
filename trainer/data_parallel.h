// Data-parallel training: one tower per GPU, each on a host thread of its own, and the update of the weights
// from the averaged gradients.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "trainer/backend.h"
#include "trainer/configuration.h"
#include "trainer/ring_all_reduce.h"
#include "trainer/tower.h"
#include "trainer/update.h"

namespace trainer {

struct StepResult {
  std::int64_t duration_ns = 0;
  float loss = 0;  // mean over the towers; 0 where arithmetic is off
};

class DataParallel {
 public:
  // `backend` and `configuration` outlive this.
  DataParallel(Backend& backend, const Configuration& configuration);

  // Memory, weights, data. The error: the host has too little memory for the arithmetic.
  // Or: the images cannot be read.
  tl::expected<void, std::string> initialize();
  // Calls `loop`, which runs the steps, beside the threads that read batches where there are any.
  void run_beside_readers(const std::function<void()>& loop);
  StepResult run_step(int step);
  void finish();  // after the last step: what an overlapped update has left to do

  double flops_per_step() const;
  std::size_t temporary_bytes_per_tower() const { return towers_.front()->planned_bytes(); }
  // The weights that the next step starts from: the master copies, or tower 0's.
  std::vector<const Tensor*> weights() const;

 private:
  [[nodiscard]] bool make_masters();
  [[nodiscard]] bool make_host_update();
  [[nodiscard]] bool make_gpu_updates();
  bool updates_masters() const { return configuration_.update != UpdateStyle::all_reduce; }
  tl::expected<void, std::string> read_images();
  [[nodiscard]] bool make_pipeline();
  bool make_rings();
  bool reduces_beside_backward() const { return !rings_.empty() && !configuration_.faults.collective_on_compute_stream; }
  void run_towers();
  void reduce_handed_out_buckets();
  void apply_pending_updates();
  void initialize_weights();
  void update_weights();

  Backend& backend_;
  const Configuration& configuration_;
  std::vector<std::unique_ptr<Tower>> towers_;
  std::deque<Tensor> master_weights_;  // host update
  std::vector<Tensor*> masters_;       // the same, to hand on
  std::deque<Update> updates_;         // one on the host or GPU 0, or one per GPU, or (overlapped) one per variable
  std::vector<Counter> updated_;       // overlapped: per variable, updates done
  bool update_pending_ = false;        // overlapped: the last step's gradients are not applied
  std::deque<RingAllReduce> rings_;    // all-reduce: one per bucket of gradients
  std::vector<Stream> ring_streams_;   // per tower; its own, unless the rings run in the compute streams
  std::vector<Event> reduced_;         // per tower
  std::int64_t steps_ = 0;
  std::optional<Cifar10> images_;
  std::optional<InputPipeline> pipeline_;
};

}  // namespace trainer
