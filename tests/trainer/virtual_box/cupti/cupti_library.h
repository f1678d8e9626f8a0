// The modelled libcupti.so.13 loaded into the test, and a profiler made of it.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <vector>

#include <catch2/catch.hpp>
#include <cupti.h>
#include <dlfcn.h>

#include "tests/trainer/virtual_box/test_machine.h"

namespace virtual_box_test {

struct Library {
  explicit Library(const std::filesystem::path& path) : handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    INFO((handle ? "" : dlerror()));
    REQUIRE(handle);
  }
  template <class Function>
  Function* symbol(const char* name, Function*) const {
    auto* found = reinterpret_cast<Function*>(dlsym(handle, name));
    INFO(name);
    REQUIRE(found);
    return found;
  }
  void* handle;
};
#define OF(library, function) (library).symbol(#function, &function)

inline std::filesystem::path modelled_cupti() { return std::filesystem::path(GPUTRACE_BINARY_DIR) / "lib/virtual_box/libcupti.so.13"; }

class FixedClock final : public MachineClock {
 public:
  std::int64_t now_ns() const override { return time_ns; }
  std::int64_t time_ns = 4711;
};

// A profiler in this process, and the machine's end of the library, with a machine that has two GPUs and an NVLink.
struct Profiler {
  Profiler();
  ~Profiler();
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  void enable(CUpti_ActivityKind kind) { REQUIRE(OF(cupti, cuptiActivityEnable)(kind) == CUPTI_SUCCESS); }
  void give_buffers_of(std::size_t size_bytes, std::size_t max_records);  // 1,024 bytes and no limit until then
  bool wait_for_records();                                                // that come without a flush; false: none for minutes
  // What came in buffers since the last call, after a flush. One kind at a time.
  template <class Record>
  std::vector<Record> records() {
    REQUIRE(OF(cupti, cuptiActivityFlushAll)(0) == CUPTI_SUCCESS);
    std::vector<Record> found;
    for (const auto& bytes : take_records()) {
      REQUIRE(bytes.size() >= sizeof(Record));
      std::memcpy(&found.emplace_back(), bytes.data(), sizeof(Record));
    }
    return found;
  }
  std::vector<std::vector<std::uint8_t>> take_records();  // each from its start to the buffer's end
  std::size_t completed_buffers() const;

  Library cupti;
  FixedClock clock;
  MachineProfile machine = round_machine();
  ActivitySink* sink = nullptr;
};

}  // namespace virtual_box_test
