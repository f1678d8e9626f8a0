#include <dlfcn.h>
#include <fmt/format.h>

#include <map>
#include <mutex>
#include <optional>

#include "trainer/cuda/cuda_failure.h"
#include "trainer/cuda/gemm.h"

namespace trainer::cuda {

namespace {

// What is used of cuBLAS's C interface, which has stayed the same since its version 4 ("cublas_v2.h"); declared here, because the
// program is built where there is no cuBLAS.
constexpr int kSuccess = 0, kPlain = 0, kTransposed = 1;
using Handle = void*;

struct Cublas {
  int (*create)(Handle*);
  int (*destroy)(Handle);
  int (*set_stream)(Handle, cudaStream_t);
  int (*sgemm)(Handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha, const float* a, int a_stride,
               const float* b, int b_stride, const float* beta, float* c, int c_stride);
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// The library stays open: cuBLAS has threads and state of its own.
Cublas open_cublas() {
  void* library = nullptr;
  for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}) {
    library = library ? library : dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (!library) throw CudaFailure(fmt::format("{}; matrix products need cuBLAS: install it, or use --backend virtual", dlerror()));
  Cublas found{};
  if (!find(library, "cublasCreate_v2", found.create) || !find(library, "cublasDestroy_v2", found.destroy) ||
      !find(library, "cublasSetStream_v2", found.set_stream) || !find(library, "cublasSgemm_v2", found.sgemm))
    throw CudaFailure(fmt::format("{}; this libcublas is none that the trainer knows", dlerror()));
  return found;
}

void check_cublas(int status, const char* call) {
  if (status != kSuccess) throw CudaFailure(fmt::format("{}: cuBLAS status {}; nvidia-smi shows the state of the GPUs", call, status));
}

class CublasGemm final : public Gemm {
 public:
  ~CublasGemm() override {
    for (const auto& [stream, handle] : handles_) cublas_->destroy(handle);
  }

  // cuBLAS takes columns for rows, so it computes the transpose: y^T = B^T A^T.
  void run(cudaStream_t stream, const GemmCall& call) override {
    const Handle handle = handle_of(stream);
    const float one = 1, zero = 0;
    const auto number = [](std::int64_t extent) { return static_cast<int>(extent); };
    check_cublas(cublas_->sgemm(handle, call.transpose_b ? kTransposed : kPlain, call.transpose_a ? kTransposed : kPlain,
                                number(call.columns), number(call.rows), number(call.inner), &one, call.b, number(call.b_stride),
                                call.a, number(call.a_stride), &zero, call.y, number(call.columns)),
                 "cublasSgemm");
  }

 private:
  Handle handle_of(cudaStream_t stream) {
    const std::lock_guard lock(mutex_);
    if (!cublas_) cublas_ = open_cublas();
    const auto [found, is_new] = handles_.try_emplace(stream, nullptr);
    if (is_new) {
      if (const int status = cublas_->create(&found->second); status != kSuccess) {
        handles_.erase(found);
        check_cublas(status, "cublasCreate");
      }
      check_cublas(cublas_->set_stream(found->second, stream), "cublasSetStream");
    }
    return found->second;
  }

  std::mutex mutex_;  // of both
  std::optional<Cublas> cublas_;
  std::map<cudaStream_t, Handle> handles_;  // one per stream: towers multiply at the same time
};

}  // namespace

std::unique_ptr<Gemm> make_cublas_gemm() { return std::make_unique<CublasGemm>(); }

}  // namespace trainer::cuda
