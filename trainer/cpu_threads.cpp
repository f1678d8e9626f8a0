#include "trainer/cpu_threads.h"

#include <omp.h>

namespace trainer {

void use_one_cpu_thread() {
  static thread_local const bool done = [] {
    omp_set_num_threads(1);
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace trainer
