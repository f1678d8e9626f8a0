// One tower: the model's ops on one device, its memory there and on the host, and what it does in a step.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "trainer/annotations.h"
#include "trainer/backend.h"
#include "trainer/configuration.h"
#include "trainer/feed_ahead.h"
#include "trainer/graph.h"
#include "trainer/input_pipeline.h"
#include "trainer/op_sequence.h"

namespace trainer {

class Tower {
 public:
  Tower(Backend& backend, const Configuration& configuration, int index);

  // All work of this tower goes into the other one's streams. Before allocate.
  void share_streams(const Tower& other) { streams_ = other.streams_; }

  // Memory for the model; false where the host has too little for its arithmetic. `host_weights`: the master
  // copies, which a tower on the CPU uses as they are.
  [[nodiscard]] bool allocate(const std::vector<Tensor*>& host_weights);
  // Initial weights (the same in every tower), and this tower's share of the data, on the device.
  void initialize();

  // One counter per variable, which the overlapped update advances each step: a step waits for a variable before it
  // copies it. Before the first step.
  void wait_for_updates(std::vector<Counter> updated) { updated_ = std::move(updated); }

  void read_from(InputPipeline& pipeline) { pipeline_ = &pipeline; }  // instead of feeding the same batch; before the first step

  // Issues one step on the calling thread. Host update: copies the weights in, and the gradients out, and
  // waits. All-reduce: leaves the gradients on the GPU and does not wait.
  void run_step();

  const Model& model() const { return model_; }
  const Placement& placement() const { return graph_.placement(); }
  int device() const { return device_; }
  Stream stream() const { return streams_.front(); }
  // Where the gradients are for the update: on the host, or one after the other in one buffer of the GPU.
  const std::vector<Tensor*>& host_gradients() const { return host_gradients_; }
  const Buffer& gradient_buffer() const { return gradient_buffer_; }
  // Parts of that buffer in the order in which a step completes them, and when it has: what an all-reduce can begin with
  // while the backward pass goes on.
  struct Bucket {
    Buffer gradients;
    Event ready;  // recorded in each step, before `handed_out` is advanced
    Counter handed_out;
  };
  const std::vector<Bucket>& buckets() const { return buckets_; }
  float loss() const { return host_loss_.data ? host_loss_.data[0] : 0; }
  std::size_t planned_bytes() const { return planned_bytes_; }
  double flops() const;

 private:
  bool on_gpu() const { return graph_.placement().on_gpu; }
  bool copies_weights() const { return on_gpu() && configuration_.update != UpdateStyle::all_reduce; }
  Memory host_memory() const;
  Buffer take(Memory memory, std::size_t size_bytes);
  void place(Tensor& tensor, Memory memory);
  Tensor* host_twin(const Tensor& tensor);
  Tensor* master_twin(const Tensor& tensor);
  void allocate_temporaries();
  void allocate_gradients();
  void make_stages(const std::vector<Tensor*>& host_weights);
  void make_sequences(const std::vector<Tensor*>& host_weights);
  void feed();
  void feed(const Tensor& from, const Tensor& to);
  std::vector<std::size_t> first_uses() const;
  void receive_and_compute();
  OpHooks hooks(std::size_t first_op);
  void choose_op_on_host();
  void work_on_host();
  void make_buckets();
  void hand_out(const Bucket& bucket);

  Backend& backend_;
  const Configuration& configuration_;
  int index_;
  int device_;  // of the backend: its devices are dealt out to the towers in turn
  Graph graph_;
  Model model_;
  std::vector<Stream> streams_;  // copies and updates use the first
  std::deque<Tensor> host_tensors_;
  std::vector<Tensor*> host_gradients_;
  std::vector<std::pair<Tensor*, Tensor*>> fed_;  // host, device
  std::optional<FeedAhead> feed_ahead_;
  Tensor host_loss_;
  Buffer gradient_buffer_;
  std::size_t planned_bytes_ = 0;
  bool short_of_storage_ = false;
  // In order: the weights that the ops after them are the first to need, and those ops. One stage for all, unless the
  // update overlaps.
  struct Stage {
    std::vector<std::size_t> variables;
    std::size_t first_op;  // of the graph's, in `compute`
    OpSequence receive, compute;
  };
  std::vector<Stage> stages_;
  std::vector<Bucket> buckets_;
  std::multimap<std::size_t, std::size_t> bucket_after_;  // by op of the graph: the buckets that it completes
  // Before that op what it reads is worked on by the host, where there is that fault.
  std::size_t op_on_host_ = SIZE_MAX;
  const Tensor* worked_on_ = nullptr;
  Buffer worked_on_host_;
  std::size_t first_backward_op_ = 0;
  InputPipeline* pipeline_ = nullptr;
  std::vector<Counter> updated_;
  std::int64_t steps_ = 0;
  Buffer read_loss_to_;
  OpSequence send_gradients_;
  RangeText feed_text_;
};

}  // namespace trainer
