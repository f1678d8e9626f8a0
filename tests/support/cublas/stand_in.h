// A stand-in for cuBLAS that a test program links: the trainer, which opens cuBLAS by its name, gets the one that is loaded.
#pragma once

namespace cublas_stand_in {

int open_handles();
void fail_next(int status);  // of the next creation or product

}  // namespace cublas_stand_in
