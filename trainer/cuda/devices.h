// The GPUs of this machine, and which of them the calling thread works with.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace trainer::cuda {

class Devices {
 public:
  // Throws CudaFailure, also where there is none. peer_access: whether GPUs may reach each other's memory, where they can.
  explicit Devices(bool peer_access);

  int count() const { return static_cast<int>(names_.size()); }
  // "CUDA 13.0, 4 GPUs (NVIDIA H200)"
  std::string description() const;

  // Makes the device the calling thread's current one: for calls that act on it. Costs nothing where it is already.
  static void make_current(int device);
  // The same, told to CUDA whatever is current: the program's own cudaSetDevice.
  static void set(int device);

  // The same at the end of a run, where an earlier error of CUDA answers every call again; nothing is known to be current after.
  static void leave(int device) noexcept;

  // Before the first copy between two devices; does nothing later. One thread at a time.
  void connect(int from, int to);

 private:
  bool peer_access_;
  int runtime_version_ = 0;
  std::vector<std::string> names_;
  std::vector<std::pair<int, int>> connected_;
};

}  // namespace trainer::cuda
