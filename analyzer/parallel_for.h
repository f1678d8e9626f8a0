// The same work for each of some things that do not depend on each other, on as many threads as the machine has cores.
#pragma once

#include <cstddef>
#include <functional>

namespace gputrace::analyzer {

// Calls work(0) ... work(count - 1), each once, in any order and from several threads; returns when all are done. The first exception
// that one of them throws is thrown again.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace gputrace::analyzer
