// A libcublas.so.13 with the four functions that the trainer uses, which computes on the host: column-major, as cuBLAS does, written
// from its definition C = alpha op(A) op(B) + beta C.
#include <atomic>

#include "tests/support/cublas/stand_in.h"

namespace {

std::atomic<int> handles{0};
std::atomic<int> next_status{0};

}  // namespace

namespace cublas_stand_in {

int open_handles() { return handles; }
void fail_next(int status) { next_status = status; }

}  // namespace cublas_stand_in

extern "C" {

int cublasCreate_v2(void** handle) {
  if (const int status = next_status.exchange(0)) return status;
  *handle = new void*(nullptr);
  ++handles;
  return 0;
}
int cublasDestroy_v2(void* handle) {
  delete static_cast<void**>(handle);
  --handles;
  return 0;
}
int cublasSetStream_v2(void* handle, void* stream) {
  *static_cast<void**>(handle) = stream;
  return 0;
}
int cublasSgemm_v2(void*, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha, const float* a, int a_stride,
                   const float* b, int b_stride, const float* beta, float* c, int c_stride) {
  if (const int status = next_status.exchange(0)) return status;
  for (int column = 0; column < n; ++column) {
    for (int row = 0; row < m; ++row) {
      float sum = 0;
      for (int i = 0; i < k; ++i) {
        sum += (transpose_a ? a[i + row * a_stride] : a[row + i * a_stride]) * (transpose_b ? b[column + i * b_stride] : b[i + column * b_stride]);
      }
      float& result = c[row + column * c_stride];
      result = *alpha * sum + (*beta == 0 ? 0 : *beta * result);
    }
  }
  return 0;
}

}  // extern "C"
