// One event of every kind, two processes, two GPUs: what has to survive a journey through other formats.
#pragma once

#include <string>
#include <vector>

#include "trace/trace.h"

namespace gputrace::tests {

trace::Trace sample_trace();

// Every row as a line of text, sorted: names in place of ids, so that traces can be compared whole.
std::vector<std::string> kernel_lines(const trace::Trace& trace);
std::vector<std::string> copy_lines(const trace::Trace& trace);
std::vector<std::string> fill_lines(const trace::Trace& trace);
enum class Threads { by_number, unsaid };  // other formats have no room for half a pthread_t
std::vector<std::string> call_lines(const trace::Trace& trace, Threads threads = Threads::by_number);
std::vector<std::string> range_lines(const trace::Trace& trace);
std::vector<std::string> counter_lines(const trace::Trace& trace);

// Fails the test where a table differs.
void check_same_rows(const trace::Trace& expected, const trace::Trace& trace);

}  // namespace gputrace::tests
