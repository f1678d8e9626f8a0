// The mean of one buffer over all GPUs, left in each: a ring of peer copies and add kernels. Each of N GPUs
// owns a chunk; in N - 1 rounds partial sums travel round the ring until each chunk is complete somewhere, in
// N - 1 more the complete chunks travel on (Patarasuk and Yuan 2009). Every link carries 2 (N - 1) / N of the
// buffer.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/annotations.h"
#include "trainer/backend.h"

namespace trainer {

class RingAllReduce {
 public:
  // buffers[i] on the GPU of streams[i], all of the same number of floats; the work is queued on those streams.
  RingAllReduce(Backend& backend, std::vector<Buffer> buffers, std::vector<Stream> streams);

  // Whether sums are computed: the buffers had storage, and there was enough for the partial sums.
  bool has_storage() const;
  // Issued from one host thread; ends on the streams, not on the host.
  void run();

 private:
  struct Chunk {
    std::int64_t first, count;  // floats
  };
  int size() const { return static_cast<int>(buffers_.size()); }
  Chunk chunk(int index) const;  // any integer: chunks are numbered round the ring
  void reduce_round(int round);
  void gather_round(int round);
  void send(int from, const Buffer& target, const Chunk& chunk);
  void add_received(int gpu, const Buffer& received, const Chunk& chunk);
  void divide();

  Backend& backend_;
  std::vector<Buffer> buffers_;
  std::vector<Stream> streams_;
  std::vector<Buffer> received_;  // per GPU: a partial chunk for each reduce round, one after the other
  std::vector<Event> sent_;       // per GPU: its latest send is done
  std::int64_t floats_ = 0;
  RangeText text_;
};

}  // namespace trainer
