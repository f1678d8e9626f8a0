// The modelled libcupti.so.13 from outside: as a library, and as a profiler that is injected into a program meets it.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "tests/trainer/virtual_box/test_machine.h"

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

namespace {

using namespace virtual_box_test;

class FixedClock final : public MachineClock {
 public:
  std::int64_t now_ns() const override { return time_ns; }
  std::int64_t time_ns = 4711;
};

std::mutex g_lock;
std::condition_variable g_arrived;
std::vector<std::vector<std::uint8_t>> g_records;  // that came in completed buffers, under g_lock

void CUPTIAPI request_buffer(uint8_t** buffer, size_t* size, size_t* max_records) {
  *size = 1024;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
  *max_records = 0;
}

void CUPTIAPI keep_records(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  const Library cupti(modelled_cupti());
  CUpti_Activity* record = nullptr;
  const std::lock_guard lock(g_lock);
  while (OF(cupti, cuptiActivityGetNextRecord)(buffer, valid, &record) == CUPTI_SUCCESS) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(record);
    g_records.emplace_back(begin, std::min(begin + 400, static_cast<const std::uint8_t*>(buffer) + valid));
  }
  std::free(buffer);
  g_arrived.notify_all();
}

// A profiler in this process, and the machine's end of the library, with a machine that has two GPUs and an NVLink.
struct Profiler {
  Profiler() : cupti(modelled_cupti()) {
    machine.nvlinks = {{{0, 1}, 2, 20.0}};
    machine.pcie.switches = {{8, {1}}};
    const auto connect = reinterpret_cast<ConnectFunction>(dlsym(cupti.handle, kConnectSymbol));
    REQUIRE(connect);
    sink = connect(&clock);
    sink->describe(machine);
    g_records.clear();
    REQUIRE(OF(cupti, cuptiActivityRegisterCallbacks)(request_buffer, keep_records) == CUPTI_SUCCESS);
  }
  ~Profiler() {
    OF(cupti, cuptiFinalize)();
    reinterpret_cast<ConnectFunction>(dlsym(cupti.handle, kConnectSymbol))(nullptr);
  }
  void enable(CUpti_ActivityKind kind) { REQUIRE(OF(cupti, cuptiActivityEnable)(kind) == CUPTI_SUCCESS); }
  template <class Record>
  std::vector<Record> records() {
    REQUIRE(OF(cupti, cuptiActivityFlushAll)(0) == CUPTI_SUCCESS);
    std::vector<Record> found;
    for (const auto& bytes : g_records) {
      REQUIRE(bytes.size() >= sizeof(Record));
      std::memcpy(&found.emplace_back(), bytes.data(), sizeof(Record));
    }
    g_records.clear();
    return found;
  }
  Library cupti;
  FixedClock clock;
  MachineProfile machine = round_machine();
  ActivitySink* sink = nullptr;
};

const ApiActivity kLaunch{Api::launch_kernel, 10, 20, 3};

}  // namespace

TEST_CASE("a kernel's record holds what was launched") {
  Profiler profiler;
  profiler.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  KernelLaunch launch;
  const std::string name = "_Z4namePf";
  launch.mangled_name = std::string_view(name).substr(0, 7);  // not terminated
  launch.grid = {1, 2, 3};
  launch.block = {4, 5, 6};
  launch.registers_per_thread = 40;
  launch.static_shared_bytes = 100;
  launch.dynamic_shared_bytes = 200;
  profiler.sink->add(KernelActivity{100, 250, {1, 2, 13}, 9, 77, launch});
  const auto records = profiler.records<CUpti_ActivityKernel10>();
  REQUIRE(records.size() == 1);
  const auto& record = records[0];
  CHECK(std::string(record.name) == "_Z4name");
  CHECK((record.start == 100 && record.end == 250 && record.completed == 250));
  CHECK((record.deviceId == 1 && record.contextId == 2 && record.streamId == 13 && record.correlationId == 9 && record.gridId == 77));
  CHECK((record.gridX == 1 && record.gridY == 2 && record.gridZ == 3 && record.blockX == 4 && record.blockY == 5 && record.blockZ == 6));
  CHECK((record.registersPerThread == 40 && record.staticSharedMemory == 100 && record.dynamicSharedMemory == 200));
}

TEST_CASE("a copy's record says which memories, one between GPUs which GPUs") {
  Profiler profiler;
  profiler.enable(CUPTI_ACTIVITY_KIND_MEMCPY);
  profiler.sink->add(CopyActivity{1, 2, {0, 1, 13}, 5, 64, Memory::pageable, Memory::device, 0, 0});
  profiler.sink->add(CopyActivity{1, 2, {0, 1, 13}, 5, 64, Memory::device, Memory::pinned, 0, 0});
  profiler.sink->add(CopyActivity{1, 2, {0, 1, 13}, 5, 64, Memory::device, Memory::device, 0, 0});
  profiler.sink->add(CopyActivity{1, 2, {0, 1, 13}, 5, 64, Memory::device, Memory::device, 0, 1});  // not of this kind
  const auto copies = profiler.records<CUpti_ActivityMemcpy6>();
  REQUIRE(copies.size() == 3);
  CHECK((copies[0].copyKind == 1 && copies[0].srcKind == 1 && copies[0].dstKind == 3 && copies[0].bytes == 64));
  CHECK((copies[1].copyKind == 2 && copies[1].srcKind == 3 && copies[1].dstKind == 2));
  CHECK((copies[2].copyKind == 8 && copies[2].srcKind == 3 && copies[2].dstKind == 3));
  profiler.enable(CUPTI_ACTIVITY_KIND_MEMCPY2);
  profiler.sink->add(CopyActivity{1, 2, {0, 1, 13}, 5, 64, Memory::device, Memory::device, 0, 1});
  const auto peers = profiler.records<CUpti_ActivityMemcpyPtoP4>();
  REQUIRE(peers.size() == 1);
  CHECK((peers[0].kind == CUPTI_ACTIVITY_KIND_MEMCPY2 && peers[0].copyKind == 10));
  CHECK((peers[0].srcDeviceId == 0 && peers[0].dstDeviceId == 1 && peers[0].srcContextId == 1 && peers[0].dstContextId == 2));
}

TEST_CASE("waits, events and full queues are recorded with what they are about") {
  Profiler profiler;
  profiler.enable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  profiler.sink->add(SynchronizationActivity{Waited::event, 1, 2, {0, 1, 7}, 5, 8, 21});
  profiler.sink->add(SynchronizationActivity{Waited::stream, 1, 2, {0, 1, 13}, 6, 0, 0});
  profiler.sink->add(SynchronizationActivity{Waited::device, 1, 2, {0, 1, 7}, 7, 0, 0});
  const auto waits = profiler.records<CUpti_ActivitySynchronization2>();
  REQUIRE(waits.size() == 3);
  CHECK((waits[0].type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE && waits[0].cudaEventId == 8 && waits[0].cudaEventSyncId == 21));
  CHECK(waits[0].streamId == CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  CHECK((waits[1].type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE && waits[1].streamId == 13));
  CHECK((waits[2].type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE && waits[2].contextId == 1));
  profiler.enable(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
  profiler.sink->add(EventActivity{50, {0, 1, 13}, 5, 8, 21});
  OF(profiler.cupti, cuptiActivityEnableCudaEventDeviceTimestamps)(1);
  profiler.sink->add(EventActivity{60, {0, 1, 13}, 5, 8, 22});
  const auto events = profiler.records<CUpti_ActivityCudaEvent2>();
  REQUIRE(events.size() == 2);
  CHECK((events[0].eventId == 8 && events[0].cudaEventSyncId == 21 && events[0].deviceTimestamp == 0));  // off by default
  CHECK(events[1].deviceTimestamp == 60);
  profiler.enable(CUPTI_ACTIVITY_KIND_OVERHEAD);
  profiler.sink->add(QueueFullActivity{5, 9, {0, 1, 13}, 5});
  const auto overheads = profiler.records<CUpti_ActivityOverhead3>();
  REQUIRE(overheads.size() == 1);
  CHECK((overheads[0].overheadKind == CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL && overheads[0].end == 9 && overheads[0].overheadData));
}

TEST_CASE("a call's record names the thread as asked, and follows the external ids on top of its stacks") {
  Profiler profiler;
  profiler.enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  profiler.sink->add(kLaunch);
  OF(profiler.cupti, cuptiSetThreadIdType)(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  profiler.sink->add(kLaunch);
  OF(profiler.cupti, cuptiSetThreadIdType)(CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT);
  const auto calls = profiler.records<CUpti_ActivityAPI>();
  REQUIRE(calls.size() == 2);
  CHECK((calls[0].cbid == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 && calls[0].start == 10 && calls[0].end == 20 && calls[0].correlationId == 3));
  CHECK(calls[0].threadId == static_cast<std::uint32_t>(pthread_self()));
  CHECK(calls[1].threadId == static_cast<std::uint32_t>(gettid()));
  OF(profiler.cupti, cuptiActivityDisable)(CUPTI_ACTIVITY_KIND_RUNTIME);
  profiler.enable(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  const auto push = OF(profiler.cupti, cuptiActivityPushExternalCorrelationId);
  push(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 100);
  push(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 101);
  push(CUPTI_EXTERNAL_CORRELATION_KIND_UNKNOWN, 102);
  profiler.sink->add(kLaunch);
  const auto ids = profiler.records<CUpti_ActivityExternalCorrelation>();
  REQUIRE(ids.size() == 2);
  CHECK((ids[0].externalId == 102 && ids[1].externalId == 101 && ids[1].correlationId == 3));
  const auto pop = OF(profiler.cupti, cuptiActivityPopExternalCorrelationId);
  for (int i = 0; i < 2; ++i) CHECK(pop(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, nullptr) == CUPTI_SUCCESS);
  CHECK(pop(CUPTI_EXTERNAL_CORRELATION_KIND_UNKNOWN, nullptr) == CUPTI_SUCCESS);
}

TEST_CASE("enabling a kind that describes the machine records it") {
  Profiler profiler;
  profiler.enable(CUPTI_ACTIVITY_KIND_NVLINK);
  const auto nvlinks = profiler.records<CUpti_ActivityNvLink4>();
  REQUIRE(nvlinks.size() == 1);
  CHECK((nvlinks[0].physicalNvLinkCount == 2 && nvlinks[0].bandwidth == 40'000'000));
  profiler.enable(CUPTI_ACTIVITY_KIND_DEVICE);
  const auto devices = profiler.records<CUpti_ActivityDevice5>();
  REQUIRE(devices.size() == 2);
  CHECK((devices[1].id == 1 && devices[1].numMultiprocessors == 10 && devices[1].globalMemoryBandwidth == 100'000'000));
  CHECK(std::memcmp(&devices[0].uuid, &nvlinks[0].idDev0.uuidDev, sizeof(CUuuid)) == 0);
  CHECK(std::memcmp(&devices[0].uuid, &devices[1].uuid, sizeof(CUuuid)) != 0);
  profiler.enable(CUPTI_ACTIVITY_KIND_PCIE);
  const auto links = profiler.records<CUpti_ActivityPcie>();
  REQUIRE(links.size() == 3);
  CHECK((links[0].upstreamBus == 0 && links[1].upstreamBus == links[2].attr.bridgeAttr.secondaryBus));  // GPU 1 is behind the bridge
  CHECK((links[2].type == CUPTI_PCIE_DEVICE_TYPE_BRIDGE && links[2].linkWidth == 8 && links[0].linkWidth == 16));
  CHECK((links[0].attr.gpuAttr.peerDev[0] == 1 && links[0].attr.gpuAttr.peerDev[1] == -1));
  profiler.sink->add_context({1, 2, 7});
  profiler.enable(CUPTI_ACTIVITY_KIND_CONTEXT);  // later than the context
  const auto contexts = profiler.records<CUpti_ActivityContext3>();
  REQUIRE(contexts.size() == 1);
  CHECK((contexts[0].contextId == 2 && contexts[0].deviceId == 1 && contexts[0].nullStreamId == 7));
}

TEST_CASE("the time is the machine's, and stands still when the machine has gone") {
  std::uint64_t now = 0;
  const Library cupti(modelled_cupti());
  {
    Profiler profiler;
    CHECK(OF(cupti, cuptiGetTimestamp)(&now) == CUPTI_SUCCESS);
    CHECK(now == 4711);
    profiler.clock.time_ns = 5000;
  }
  CHECK(OF(cupti, cuptiGetTimestamp)(&now) == CUPTI_SUCCESS);
  CHECK(now == 5000);
}

TEST_CASE("with a flush period records arrive without a flush") {
  Profiler profiler;
  profiler.enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  OF(profiler.cupti, cuptiActivityFlushPeriod)(1);
  profiler.sink->add(kLaunch);
  std::unique_lock lock(g_lock);
  CHECK(g_arrived.wait_for(lock, std::chrono::minutes(2), [] { return !g_records.empty(); }));  // long: only a hang fails
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
