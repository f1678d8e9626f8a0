// Products of row-major matrices by a library of column-major ones.
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "tests/support/cublas/stand_in.h"
#include "trainer/cuda/cuda_failure.h"
#include "trainer/cuda/gemm.h"

using namespace trainer;

namespace {

constexpr std::int64_t kRows = 3, kColumns = 5, kInner = 4;

// a[i, k] and b[k, j] as small whole numbers: their products are exact.
float a_at(std::int64_t i, std::int64_t k) { return static_cast<float>(i * 10 + k + 1); }
float b_at(std::int64_t k, std::int64_t j) { return static_cast<float>(k * 7 - j); }

std::vector<float> stored(bool transposed, std::int64_t rows, std::int64_t columns, float (*at)(std::int64_t, std::int64_t)) {
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column)
      values[static_cast<std::size_t>(transposed ? column * rows + row : row * columns + column)] = at(row, column);
  }
  return values;
}

std::vector<float> product(cuda::Gemm& gemm, bool transpose_a, bool transpose_b) {
  const auto a = stored(transpose_a, kRows, kInner, a_at), b = stored(transpose_b, kInner, kColumns, b_at);
  std::vector<float> y(kRows * kColumns, -1);
  gemm.run(nullptr, {transpose_a, transpose_b, kRows, kColumns, kInner, transpose_a ? kRows : kInner, transpose_b ? kInner : kColumns,
                     a.data(), b.data(), y.data()});
  return y;
}

std::vector<float> expected_product() {
  std::vector<float> y;
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < kInner; ++k) sum += a_at(i, k) * b_at(k, j);
      y.push_back(sum);
    }
  }
  return y;
}

}  // namespace

TEST_CASE("each operand as it is or transposed") {
  const auto gemm = cuda::make_cublas_gemm();
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      CAPTURE(transpose_a, transpose_b);
      CHECK(product(*gemm, transpose_a, transpose_b) == expected_product());
    }
  }
}

TEST_CASE("a handle for each stream, made once and given back") {
  REQUIRE(cublas_stand_in::open_handles() == 0);
  {
    const auto gemm = cuda::make_cublas_gemm();
    CHECK(cublas_stand_in::open_handles() == 0);
    product(*gemm, false, false);
    product(*gemm, false, true);
    CHECK(cublas_stand_in::open_handles() == 1);
    std::thread([&] { gemm->run(reinterpret_cast<cudaStream_t>(1), {}); }).join();
    CHECK(cublas_stand_in::open_handles() == 2);
  }
  CHECK(cublas_stand_in::open_handles() == 0);
}

TEST_CASE("an error of cuBLAS names the call and the status") {
  const auto gemm = cuda::make_cublas_gemm();
  cublas_stand_in::fail_next(1);
  CHECK_THROWS_WITH(product(*gemm, false, false), Catch::StartsWith("cublasCreate: cuBLAS status 1;"));
  product(*gemm, false, false);
  cublas_stand_in::fail_next(13);
  CHECK_THROWS_WITH(product(*gemm, false, false), Catch::StartsWith("cublasSgemm: cuBLAS status 13;"));
}
