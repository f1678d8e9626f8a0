// A program to be recorded: argv[1] says how it behaves. With FAKE_CUPTI set it plays the part of a CUDA program: it
// loads that libcupti and calls the injection library as libcuda's cuInit does.
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include "collector/spool_layout.h"

namespace {

void (*g_launch)(const char*, unsigned, unsigned long) = nullptr;
void (*g_one_of_each)() = nullptr;
void (*g_set_ahead)(long) = nullptr;
void (*g_profiler)(bool) = nullptr;

constexpr const char* kKernel = "_Z6kernelIfEvPT_i";

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

void cu_init() {
  if (const char* fake = std::getenv("FAKE_CUPTI")) {
    if (void* cupti = dlopen(fake, RTLD_NOW)) {
      g_launch = reinterpret_cast<decltype(g_launch)>(dlsym(cupti, "fake_cupti_launch"));
      g_one_of_each = reinterpret_cast<decltype(g_one_of_each)>(dlsym(cupti, "fake_cupti_one_of_each"));
      g_set_ahead = reinterpret_cast<decltype(g_set_ahead)>(dlsym(cupti, "fake_cupti_set_clock_ahead_ns"));
      g_profiler = reinterpret_cast<decltype(g_profiler)>(dlsym(cupti, "fake_cupti_profiler"));
      if (const char* ahead = std::getenv("FAKE_CUPTI_AHEAD_NS")) g_set_ahead(std::atol(ahead));
    }
  }
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  void* library = path != nullptr ? dlopen(path, RTLD_NOW) : nullptr;
  if (library == nullptr) return;
  if (auto* start = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"))) start();
}

void launch(int count, unsigned device = 0) {
  for (int i = 0; g_launch != nullptr && i < count; ++i) g_launch(kKernel, device, 500);
}

// Until the spool of this process holds `launches` kernels and API calls, and what was recorded by now: the writer's second
// header from here on comes after a whole flush. Gives up after a minute, and the test then finds too little.
void wait_until_flushed(int launches) {
  using gputrace::spool::FileHeader;
  constexpr auto kLaunchBytes = offsetof(gputrace::spool::KernelRecord, graph_node) + sizeof(gputrace::spool::ApiCallRecord);
  const char* folder = std::getenv("GPUTRACE_SPOOL_DIR");
  if (folder == nullptr) return;
  std::int64_t last_flush = 0;
  int flushes = 0;
  for (int tries = 0; tries < 6000 && flushes < 3; ++tries, sleep_ms(10)) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      FileHeader header;
      if (entry.file_size(error) < static_cast<std::size_t>(launches) * kLaunchBytes) continue;
      std::ifstream(entry.path(), std::ios::binary).read(reinterpret_cast<char*>(&header), sizeof header);
      flushes += header.flushed_realtime_ns != last_flush;
      last_flush = header.flushed_realtime_ns;
    }
  }
}

void ranges() {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
  nvtxStringHandle_t registered = nvtxDomainRegisterStringA(domain, "registered");
  nvtxNameCategoryA(9, "nine");
  nvtxRangePushA("outer");
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = registered;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = 0xFF112233;
  attributes.category = 9;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  attributes.payload.llValue = -42;
  nvtxDomainRangePushEx(domain, &attributes);
  nvtxRangePushW(L"inn\u00e9r");
  nvtxDomainRangePop(domain);  // each domain has its own stack
  nvtxMarkA("mark");
  nvtxRangePop();
  nvtxRangePop();
  const nvtxRangeId_t id = nvtxRangeStartA("across threads");
  std::thread([id] { nvtxRangeEnd(id); }).join();
  nvtxRangePushA("never closed");
}

nvtxEventAttributes_t with_text(const char* text) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = text;
  return attributes;
}

// As NCCL does it: static ids, an enumeration, the payload beside the message of a range.
void collective_with_payload() {
  constexpr std::uint64_t kSchema = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 7, kOperation = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 16;
  struct AllReduce {
    std::uint64_t communicator;
    std::size_t bytes;
    std::uint32_t operation, pad;
  };
  nvtxDomainHandle_t domain = nvtxDomainCreateA("NCCL");
  const nvtxPayloadEnum_t operations[] = {{"Sum", 0, 0}, {"Prod", 1, 0}};
  nvtxPayloadEnumAttr_t enumeration{};
  enumeration.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
                          NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID;
  enumeration.entries = operations, enumeration.numEntries = 2, enumeration.sizeOfEnum = 4, enumeration.schemaId = kOperation;
  nvtxPayloadEnumRegister(domain, &enumeration);
  const nvtxPayloadSchemaEntry_t entries[] = {{0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "NCCL communicator ID", nullptr, 0, 0, nullptr, nullptr},
                                              {0, NVTX_PAYLOAD_ENTRY_TYPE_SIZE, "Message size [bytes]", nullptr, 0, 8, nullptr, nullptr},
                                              {0, kOperation, "Reduction operation", nullptr, 0, 16, nullptr, nullptr}};
  nvtxPayloadSchemaAttr_t schema{};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  schema.entries = entries, schema.numEntries = 3, schema.payloadStaticSize = sizeof(AllReduce), schema.schemaId = kSchema;
  nvtxPayloadSchemaRegister(domain, &schema);
  const AllReduce payload{UINT64_MAX, 1 << 20, 0, 0};
  nvtxPayloadData_t data{kSchema, sizeof payload, &payload};
  auto attributes = with_text("AllReduce");
  attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
  attributes.reserved0 = 1;
  attributes.payload.ullValue = reinterpret_cast<std::uint64_t>(&data);
  nvtxDomainRangePushEx(domain, &attributes);
  nvtxDomainRangePop(domain);
}

// By the extension's functions alone, with a schema that has no id of its own.
void payloads_without_text() {
  struct Loss {
    double loss;
    char tag[8];
  };
  const nvtxPayloadSchemaEntry_t entries[] = {
      {0, NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "loss", nullptr, 0, 0, nullptr, nullptr},
      {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, NVTX_PAYLOAD_ENTRY_TYPE_CHAR, "tag", nullptr, 8, 0, nullptr, nullptr}};
  nvtxPayloadSchemaAttr_t schema{};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
  schema.name = "loss";
  schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  schema.entries = entries, schema.numEntries = 2, schema.payloadStaticSize = sizeof(Loss);
  const std::uint64_t id = nvtxPayloadSchemaRegister(nullptr, &schema);
  const Loss marked{0.5, "abc"}, popped{0.25, ""}, started{0.125, "x"};
  const nvtxPayloadData_t mark{id, sizeof(Loss), &marked}, pop{id, sizeof(Loss), &popped}, start{id, sizeof(Loss), &started};
  nvtxMarkPayload(nullptr, &mark, 1);
  nvtxRangePushPayload(nullptr, nullptr, 0);
  nvtxRangePopPayload(nullptr, &pop, 1);
  nvtxRangeEndPayload(nullptr, nvtxRangeStartPayload(nullptr, &start, 1), nullptr, 0);
}

// `count` steps of 10 launches each between other work, every second one between the profiler's start and stop, and all of
// it within a range.
void steps(int count) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
  nvtxRangePushA("whole run");
  launch(7);
  for (int step = 0; step < count; ++step) {
    if (g_profiler != nullptr && step % 2 == 1) g_profiler(true);
    const auto attributes = with_text("chosen");
    nvtxDomainRangePushEx(domain, &attributes);
    nvtxRangePushA(("step " + std::to_string(step)).c_str());
    const nvtxRangeId_t range = nvtxRangeStartA("forward");
    nvtxRangePushA("chosen");
    launch(10);
    nvtxRangePop();
    nvtxRangeEnd(range);
    nvtxRangePop();
    nvtxDomainRangePop(domain);
    if (g_profiler != nullptr && step % 2 == 1) g_profiler(false);
    launch(3);
    nvtxMarkA("between");
  }
  nvtxRangePop();
}

// A launch and a range each millisecond, for `ms`.
void launch_for(int ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  while (std::chrono::steady_clock::now() < end) {
    nvtxRangePushA("tick");
    launch(1);
    nvtxRangePop();
    sleep_ms(1);
  }
}

// Launches that differ by their number, in bursts, until the `count`th.
void numbered_launches(int count) {
  for (int i = 1; i <= count; ++i) {
    g_launch(kKernel, static_cast<unsigned>(i % 2), 500 + static_cast<unsigned long>(i % 97));
    if (i % 50 == 0) sleep_ms(1);
  }
}

// Short-lived threads in waves, each with ranges in two domains and texts of its own.
void short_threads(int count) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("waves");
  for (int wave = 0; wave < count / 8; ++wave) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([=] {
        const std::string text = "thread " + std::to_string(wave * 8 + t);
        nvtxEventAttributes_t attributes{};
        attributes.version = NVTX_VERSION;
        attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
        attributes.message.ascii = text.c_str();
        for (int i = 0; i < 20; ++i)
          nvtxDomainRangePushEx(domain, &attributes), nvtxRangePushA("inner"), nvtxRangePop(),
              nvtxDomainRangePop(domain);
      });
    }
    for (auto& thread : threads) thread.join();
  }
}

// Threads that are in the middle of NVTX calls when the process exits.
void leave_threads_busy() {
  nvtxMarkA("starts NVTX, whose own start is not free of races");
  for (int t = 0; t < 4; ++t) std::thread([] { for (;;) nvtxRangePushA("busy"), nvtxRangePop(); }).detach();
  sleep_ms(50);
}

int forks() {
  nvtxRangePushA("parent");
  const pid_t child = fork();
  if (child == 0) {
    nvtxRangePushA("child");
    nvtxRangePop();
    std::exit(0);
  }
  nvtxRangePop();
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

int run(const std::string& mode, int count) {
  if (mode == "nvtx") return ranges(), 0;
  if (mode == "payloads") return collective_with_payload(), payloads_without_text(), 0;
  if (mode == "cuda-only-first") return cu_init(), launch(count), 0;
  if (mode == "fork") return forks();
  if (mode == "threads") return short_threads(count), 0;
  if (mode == "exit-while-busy") return leave_threads_busy(), 11;
  if (mode == "nothing") return 3;
  if (mode == "print") {
    nvtxMarkA("printing");
    for (int i = 0; i < count; ++i) std::printf("line %d of output\n", i), std::fprintf(stderr, "error line %d\n", i);
    return 7;
  }
  if (mode == "close-all") {
    nvtxMarkA("before");
    sleep_ms(30);
    for (int fd = 3; fd < 1024; ++fd) close(fd);
    std::FILE* own[8];
    for (auto& file : own) file = std::tmpfile();
    for (int i = 0; i < count; ++i) nvtxMarkA("after"), sleep_ms(1);
    long bytes = 0;  // our files must hold what we wrote: nothing
    for (auto* file : own) std::fseek(file, 0, SEEK_END), bytes += std::ftell(file);
    return bytes == 0 ? 0 : 9;
  }
  cu_init();
  if (mode == "each") return g_one_of_each != nullptr ? g_one_of_each() : void(), launch(1), 0;
  if (mode == "kernels") {
    nvtxRangePushA("work");
    std::vector<std::thread> threads;
    for (unsigned device = 0; device < 4; ++device) threads.emplace_back([=] { launch(count / 4, device); });
    for (auto& thread : threads) thread.join();
    nvtxRangePop();
    return 0;
  }
  if (mode == "numbered") return numbered_launches(count), 0;
  if (mode == "exec") {  // leaves its work to the flush before, and goes on as another program
    launch(count);
    nvtxMarkA("before exec");
    wait_until_flushed(count);
    execl("/proc/self/exe", "collector_child", "nvtx", static_cast<char*>(nullptr));
    return 64;
  }
  if (mode == "remove-folder") {
    launch(count);
    wait_until_flushed(count);
    std::error_code ignored;
    std::filesystem::remove_all(std::getenv("GPUTRACE_SPOOL_DIR"), ignored);
    launch(count);
    sleep_ms(200);
    return 6;
  }
  if (mode == "steps") return steps(count), 0;
  if (mode == "for-ms") return launch_for(count), 0;
  launch(count);
  nvtxMarkA("flushed");
  if (mode == "file-limit") {
    const rlimit small{32 << 10, 32 << 10};
    setrlimit(RLIMIT_FSIZE, &small);
    launch(20'000);
    sleep_ms(100);
    launch(20'000);
    return 5;
  }
  wait_until_flushed(count);
  nvtxMarkA("perhaps lost");
  if (mode == "kill") return kill(getpid(), SIGKILL), sleep_ms(10'000), 0;
  if (mode == "abort") std::abort();
  if (mode == "segfault") return *static_cast<volatile int*>(nullptr);
  if (mode == "_exit") _exit(4);
  if (mode == "term") return raise(SIGTERM), 0;
  return 64;
}

}  // namespace

int main(int argc, char** argv) { return argc < 2 ? 64 : run(argv[1], argc > 2 ? std::atoi(argv[2]) : 100); }
