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

  void begin() { copy_next(); }  // once, before the first step: the batch of that one
  // At the start of a step: what was copied goes to where the ops read it, in `stream`, and the next batch is on its way.
  void feed(Stream stream);

 private:
  void copy_next();

  struct Fed {
    const Tensor *from, *to;  // host, device
    Buffer staging;
  };
  Backend& backend_;
  Stream copies_;
  Event arrived_, taken_;
  std::vector<Fed> fed_;
};

}  // namespace trainer
