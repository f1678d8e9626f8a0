// Feeds a tower with two buffers in turn: while a step computes, the next one's batch is copied to the GPU on a stream of its own.
#pragma once

#include <vector>

#include "trainer/backend.h"
#include "trainer/op.h"

namespace trainer {

class FeedAhead {
 public:
  FeedAhead(Backend& backend, int device);

  // `staging`: on the GPU, as large as both. Before begin().
  void add(const Tensor& from, const Tensor& to, const Buffer& staging) { fed_.push_back({&from, &to, staging}); }

  // At the start of a step: what was copied goes to where the ops read it, in `stream`.
  void feed(Stream stream);
  // The next batch may come once `stream` gets here: after all that the step itself needs from the host.
  void let_next_come(Stream stream);
  // Sends the next batch: once before the first step, and in each step after its work was handed out.
  void copy_next();

 private:
  struct Fed {
    const Tensor *from, *to;  // host, device
    Buffer staging;
  };
  Backend& backend_;
  Stream copies_;
  Event arrived_, may_come_;
  std::vector<Fed> fed_;
};

}  // namespace trainer
