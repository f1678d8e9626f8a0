// The modelled libcupti.so.13 from outside: as a library, and as a profiler that is injected into a program meets it.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <cupti.h>
#include <dlfcn.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

fs::path tests_folder() { return fs::path(GPUTRACE_BINARY_DIR) / "tests"; }

struct Library {
  explicit Library(const fs::path& path) : handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
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

fs::path modelled_cupti() { return fs::path(GPUTRACE_BINARY_DIR) / "lib/virtual_box/libcupti.so.13"; }

// How far GetNextRecord steps over a record of this kind: behind it lie marks of another kind at each 8 bytes. 0: not walked.
std::size_t step_of(const Library& cupti, CUpti_ActivityKind kind) {
  const auto next = OF(cupti, cuptiActivityGetNextRecord);
  alignas(8) std::uint8_t buffer[2048] = {};
  for (std::size_t at = 8; at + 8 <= sizeof(buffer); at += 8) {
    const CUpti_ActivityKind mark = CUPTI_ACTIVITY_KIND_RUNTIME;
    std::memcpy(buffer + at, &mark, sizeof(mark));
  }
  std::memcpy(buffer, &kind, sizeof(kind));
  CUpti_Activity* record = nullptr;
  if (next(buffer, sizeof(buffer), &record) != CUPTI_SUCCESS) return 0;
  CHECK(reinterpret_cast<std::uint8_t*>(record) == buffer);
  if (next(buffer, sizeof(buffer), &record) != CUPTI_SUCCESS) return 0;
  return static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(record) - buffer);
}

struct Run {
  int status;
  std::string output, trace;
};

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Runs the test program as a user's shell would, with these variables set.
Run run_program(const std::string& variables, const std::string& arguments) {
  const fs::path folder = fs::temp_directory_path() / ("virtual_cupti_test." + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path out = folder / "out", trace = folder / "trace";
  const std::string command = "env -u CUDA_INJECTION64_PATH TEST_COLLECTOR_OUT=" + trace.string() + ' ' + variables + ' ' +
                              (tests_folder() / "virtual_box_test_program").string() + ' ' + arguments + " >" + out.string() + " 2>&1";
  const int status = std::system(command.c_str());
  Run run{status, contents(out), contents(trace)};
  fs::remove_all(folder);
  return run;
}

std::string injected() { return "CUDA_INJECTION64_PATH=" + (tests_folder() / "virtual_box_test_collector.so").string(); }

std::map<std::string, int> count_first_words(const std::string& text) {
  std::map<std::string, int> counts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) ++counts[line.substr(0, line.find_first_of(" ="))];
  return counts;
}

}  // namespace

TEST_CASE("a walk over records steps by NVIDIA's sizes") {
  const Library cupti(modelled_cupti());
  CHECK(step_of(cupti, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == 216);
  CHECK(step_of(cupti, CUPTI_ACTIVITY_KIND_MEMCPY) == 96);
  CHECK(step_of(cupti, CUPTI_ACTIVITY_KIND_RUNTIME) == 40);
  CHECK(step_of(cupti, CUPTI_ACTIVITY_KIND_INVALID) == 0);
  CHECK(step_of(cupti, CUPTI_ACTIVITY_KIND_COUNT) == 0);
}

#ifdef NVIDIA_CUPTI_LIBRARY
TEST_CASE("NVIDIA's own library steps alike for every kind") {
  const Library ours(modelled_cupti()), nvidia(NVIDIA_CUPTI_LIBRARY);
  std::uint32_t our_version = 0, nvidia_version = 0;
  OF(ours, cuptiGetVersion)(&our_version);
  OF(nvidia, cuptiGetVersion)(&nvidia_version);
  if (our_version != nvidia_version) {
    WARN("NVIDIA's library is of another version than the headers; not compared");
    return;
  }
  for (int kind = 0; kind <= CUPTI_ACTIVITY_KIND_COUNT; ++kind) {
    INFO("kind " << kind);
    CHECK(step_of(ours, static_cast<CUpti_ActivityKind>(kind)) == step_of(nvidia, static_cast<CUpti_ActivityKind>(kind)));
  }
}

TEST_CASE("callbacks and results have NVIDIA's names") {
  const Library ours(modelled_cupti()), nvidia(NVIDIA_CUPTI_LIBRARY);
  for (const auto domain : {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API})
    for (std::uint32_t id = 0; id < 900; ++id) {
      const char *our_name = nullptr, *nvidia_name = nullptr;
      const auto our_result = OF(ours, cuptiGetCallbackName)(domain, id, &our_name);
      const auto nvidia_result = OF(nvidia, cuptiGetCallbackName)(domain, id, &nvidia_name);
      if (nvidia_result != CUPTI_SUCCESS || our_result != CUPTI_SUCCESS) continue;  // headers and library may end at other ids
      if (std::string(our_name) != nvidia_name) FAIL_CHECK(domain << ' ' << id << ": " << our_name << ", NVIDIA's " << nvidia_name);
    }
  for (int result : {0, 1, 12, 21, 27, 39, 999}) {
    const char *our_name = nullptr, *nvidia_name = nullptr;
    CHECK(OF(ours, cuptiGetResultString)(static_cast<CUptiResult>(result), &our_name) == CUPTI_SUCCESS);
    OF(nvidia, cuptiGetResultString)(static_cast<CUptiResult>(result), &nvidia_name);
    CHECK(std::string(our_name) == nvidia_name);
  }
}
#endif

TEST_CASE("a walk ends at the valid bytes and refuses what is no record") {
  const Library cupti(modelled_cupti());
  const auto next = OF(cupti, cuptiActivityGetNextRecord);
  CUpti_ActivityAPI records[2] = {};
  records[0].kind = records[1].kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  auto* buffer = reinterpret_cast<std::uint8_t*>(records);
  CUpti_Activity* record = nullptr;
  CHECK(next(buffer, 0, &record) == CUPTI_ERROR_MAX_LIMIT_REACHED);
  CHECK(next(buffer, sizeof(records[0]) - 1, &record) == CUPTI_ERROR_MAX_LIMIT_REACHED);
  CHECK(next(buffer, sizeof(records[0]), &record) == CUPTI_SUCCESS);
  CHECK(next(buffer, sizeof(records[0]), &record) == CUPTI_ERROR_MAX_LIMIT_REACHED);
  CHECK(next(buffer, sizeof(records), &record) == CUPTI_SUCCESS);
  CHECK(next(buffer, sizeof(records), &record) == CUPTI_ERROR_MAX_LIMIT_REACHED);
  records[1].kind = static_cast<CUpti_ActivityKind>(4711);
  record = nullptr;
  CHECK(next(buffer, sizeof(records), &record) == CUPTI_SUCCESS);
  CHECK(next(buffer, sizeof(records), &record) == CUPTI_ERROR_INVALID_KIND);
  CHECK(next(nullptr, 100, &record) == CUPTI_ERROR_INVALID_PARAMETER);
  CHECK(next(buffer, sizeof(records), nullptr) == CUPTI_ERROR_INVALID_PARAMETER);
}

TEST_CASE("what cannot be profiled is refused, what does not occur is not") {
  const Library cupti(modelled_cupti());
  const auto enable = OF(cupti, cuptiActivityEnable);
  CHECK(enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE) == CUPTI_SUCCESS);
  CHECK(enable(CUPTI_ACTIVITY_KIND_DRIVER) == CUPTI_SUCCESS);
  CHECK(enable(CUPTI_ACTIVITY_KIND_PC_SAMPLING) == CUPTI_ERROR_NOT_SUPPORTED);
  CHECK(enable(CUPTI_ACTIVITY_KIND_KERNEL) == CUPTI_ERROR_NOT_SUPPORTED);
  CHECK(enable(CUPTI_ACTIVITY_KIND_METRIC) == CUPTI_ERROR_NOT_SUPPORTED);
  CHECK(enable(CUPTI_ACTIVITY_KIND_INVALID) == CUPTI_ERROR_INVALID_KIND);
  CHECK(enable(CUPTI_ACTIVITY_KIND_COUNT) == CUPTI_ERROR_INVALID_KIND);
  CHECK(OF(cupti, cuptiActivityFlushAll)(0) == CUPTI_ERROR_INVALID_OPERATION);  // no callbacks
  std::uint64_t now = 0;
  CHECK(OF(cupti, cuptiGetTimestamp)(&now) == CUPTI_ERROR_NOT_INITIALIZED);     // no machine
}

TEST_CASE("one subscriber at a time, and no callbacks") {
  const Library cupti(modelled_cupti());
  const auto callback = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
  CUpti_SubscriberHandle first = nullptr, second = nullptr;
  CHECK(OF(cupti, cuptiSubscribe)(&first, callback, nullptr) == CUPTI_SUCCESS);
  CHECK(OF(cupti, cuptiSubscribe)(&second, callback, nullptr) == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  CHECK(OF(cupti, cuptiEnableDomain)(1, first, CUPTI_CB_DOMAIN_RUNTIME_API) == CUPTI_ERROR_NOT_SUPPORTED);
  CHECK(OF(cupti, cuptiEnableDomain)(0, first, CUPTI_CB_DOMAIN_RUNTIME_API) == CUPTI_SUCCESS);
  CHECK(OF(cupti, cuptiUnsubscribe)(first) == CUPTI_SUCCESS);
  CHECK(OF(cupti, cuptiUnsubscribe)(first) == CUPTI_ERROR_INVALID_PARAMETER);
}

TEST_CASE("external ids are stacks per kind") {
  const Library cupti(modelled_cupti());
  const auto push = OF(cupti, cuptiActivityPushExternalCorrelationId);
  const auto pop = OF(cupti, cuptiActivityPopExternalCorrelationId);
  std::uint64_t id = 0;
  CHECK(pop(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &id) == CUPTI_ERROR_QUEUE_EMPTY);
  CHECK(push(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 1) == CUPTI_SUCCESS);
  CHECK(push(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, 2) == CUPTI_SUCCESS);
  CHECK(push(CUPTI_EXTERNAL_CORRELATION_KIND_INVALID, 3) == CUPTI_ERROR_INVALID_PARAMETER);
  CHECK(pop(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &id) == CUPTI_SUCCESS);
  CHECK(id == 1);
  CHECK(pop(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, nullptr) == CUPTI_SUCCESS);
}

TEST_CASE("an injected profiler gets every record of a run, and the same on every run") {
  const Run calm = run_program(injected(), "4x-titan-x");
  INFO(calm.output);
  REQUIRE(calm.status == 0);
  auto counts = count_first_words(calm.trace);
  CHECK(counts["simulated"] == 1);
  CHECK(counts["DEVICE"] == 4);
  CHECK(counts["PCIE"] == 6);
  CHECK(counts["NVLINK"] == 0);
  CHECK(counts["CONTEXT"] == 2);
  CHECK(counts["STREAM"] == 4);
  CHECK(counts["KERNEL"] == 100);
  CHECK(counts["MEMCPY"] == 20);
  CHECK(counts["MEMCPY2"] == 10);
  CHECK(counts["MEMSET"] == 10);
  CHECK(counts["CUDA_EVENT"] == 10);
  CHECK(counts["SYNCHRONIZATION"] == 32);
  CHECK(counts["walk"] == 0);
  CHECK(calm.trace.find("dropped=0 end=") != std::string::npos);
  for (int i = 0; i < 5; ++i) {
    const Run other = run_program(injected(), "4x-titan-x with-sleeps");
    REQUIRE(other.status == 0);
    REQUIRE(other.trace == calm.trace);
    CHECK(other.output == calm.output);
  }
}

TEST_CASE("records that find no buffer are dropped and counted") {
  const Run all = run_program(injected(), "4x-titan-x"), few = run_program(injected() + " TEST_COLLECTOR_BUFFERS=3", "4x-titan-x");
  REQUIRE(few.status == 0);
  const auto records = [](const std::string& trace) {
    const auto counts = count_first_words(trace);
    int sum = 0;
    for (const auto& [word, count] : counts)
      if (std::isupper(static_cast<unsigned char>(word[0]))) sum += count;
    return sum;
  };
  const auto dropped_at = few.trace.find("dropped=");
  REQUIRE(dropped_at != std::string::npos);
  CHECK(std::atoi(few.trace.c_str() + dropped_at + 8) > 0);
  CHECK(records(few.trace) + std::atoi(few.trace.c_str() + dropped_at + 8) == records(all.trace));
}

TEST_CASE("without injection, and where it fails, the program runs the same") {
  const Run plain = run_program("", "2x-gtx-1060");
  REQUIRE(plain.status == 0);
  CHECK(plain.trace.empty());
  const Run absent = run_program("CUDA_INJECTION64_PATH=/no/such/library.so", "2x-gtx-1060");
  CHECK(absent.status == 0);
  CHECK(absent.output.find("virtual_box: cannot load CUDA_INJECTION64_PATH: ") == 0);
  CHECK(absent.output.find(plain.output) != std::string::npos);
  CHECK(std::count(absent.output.begin(), absent.output.end(), '\n') == 2);
  const Run wrong = run_program("CUDA_INJECTION64_PATH=" + modelled_cupti().string(), "2x-gtx-1060");
  CHECK(wrong.status == 0);
  CHECK(wrong.output.find("has no InitializeInjection") != std::string::npos);
  const Run refused = run_program(injected() + " TEST_COLLECTOR_OUT=/no/such/folder/file", "2x-gtx-1060");
  CHECK(refused.status == 0);
  CHECK(refused.output.find("failed; running on without a profiler") != std::string::npos);
  CHECK(run_program(injected(), "2x-gtx-1060").output == plain.output);
}
