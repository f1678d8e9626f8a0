// The functions that NVTX calls. On the host's threads, so: no lock on the paths of events, no I/O, and the return
// values that the program would see without a tool, except for the handles and range ids that we must recognise
// again.
#include "collector/guest/nvtx_callbacks.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <nvtx3/nvToolsExt.h>

#include "collector/guest/guarded.h"
#include "collector/guest/session.h"

namespace gputrace::guest {

namespace {

using spool::RecordType;

constexpr int kNoTracking = NVTX_NO_PUSH_POP_TRACKING;  // what push and pop return without a tool
constexpr std::size_t kMaxWideCharacters = 4096;

// Handles that the host keeps. Never freed: it may use one at any time. In plain memory, so a forked child has them
// too.
struct Domain {
  std::uint16_t id = 0;
  std::string name;
};
struct RegisteredText {
  std::string text;
};

struct Registry {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  std::vector<std::unique_ptr<Domain>> domains;
  std::vector<std::unique_ptr<RegisteredText>> texts;
};

Registry& registry() {
  static Registry* const instance = [] {
    auto* made = new Registry;
    // Held across a fork, so that the child finds it free and whole.
    pthread_atfork([] { pthread_mutex_lock(&registry().lock); }, [] { pthread_mutex_unlock(&registry().lock); },
                   [] { pthread_mutex_unlock(&registry().lock); });
    return made;
  }();
  return *instance;
}

class RegistryLock {
 public:
  explicit RegistryLock(Registry& held) : held_(held) { pthread_mutex_lock(&held_.lock); }
  RegistryLock(const RegistryLock&) = delete;
  RegistryLock& operator=(const RegistryLock&) = delete;
  ~RegistryLock() { pthread_mutex_unlock(&held_.lock); }

 private:
  Registry& held_;
};

// UTF-8 of a wide string, cut at kMaxWideCharacters.
std::string narrow(const wchar_t* wide) {
  std::string text;
  for (std::size_t i = 0; wide != nullptr && wide[i] != 0 && i < kMaxWideCharacters; ++i) {
    const auto c = static_cast<std::uint32_t>(wide[i]);
    const auto put = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (c < 0x80) put(c);
    else if (c < 0x800) put(0xC0 | c >> 6), put(0x80 | (c & 63));
    else if (c < 0x10000) put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
    else if (c < 0x110000)
      put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 63)), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
  }
  return text;
}

std::string_view narrow(const char* text) { return text != nullptr ? std::string_view(text) : std::string_view(); }

// Runs work(session, lane) for the calling thread, unless nothing is recorded or a signal handler has come back into
// us.
template <class Work>
void on_lane(const char* where, Work&& work) noexcept {
  guarded(where, [&] {
    Session* session = Session::current();
    if (session == nullptr || !session->recording()) return;
    Lane* lane = session->thread_lane();
    if (lane == nullptr) return;
    if (lane->busy) return void(lane->drop());
    lane->busy = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    work(*session, *lane);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    lane->busy = false;
  });
}

// A domain's name goes into each lane that uses it, so that a lane is whole in itself.
std::uint16_t domain_id(Lane& lane, nvtxDomainHandle_t handle) {
  const auto* domain = reinterpret_cast<const Domain*>(handle);
  if (domain == nullptr) return 0;
  if (lane.first_use_of_domain(domain->id)) {
    lane.write(RecordType::nvtx_domain, spool::NvtxDomainRecord{{.id = domain->id}, lane.text(domain->name), 0});
  }
  return domain->id;
}

// The attributes as far as the caller's version of the struct goes.
nvtxEventAttributes_t known_part(const nvtxEventAttributes_t* attributes) {
  nvtxEventAttributes_t known{};
  if (attributes != nullptr) std::memcpy(&known, attributes, std::min<std::size_t>(attributes->size, sizeof known));
  return known;
}

std::string message_text(std::int32_t type, const nvtxMessageValue_t& message) {
  switch (type) {
    case NVTX_MESSAGE_TYPE_ASCII: return std::string(narrow(message.ascii));
    case NVTX_MESSAGE_TYPE_UNICODE: return narrow(message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED:
      if (message.registered == nullptr) return {};
      return reinterpret_cast<const RegisteredText*>(message.registered)->text;
    default: return {};
  }
}

std::uint32_t message_id(Lane& lane, std::int32_t type, const nvtxMessageValue_t& message) {
  switch (type) {
    case NVTX_MESSAGE_TYPE_ASCII: return lane.text(narrow(message.ascii));
    case NVTX_MESSAGE_TYPE_UNICODE: return lane.text(narrow(message.unicode));
    case NVTX_MESSAGE_TYPE_REGISTERED:
      if (message.registered == nullptr) return 0;
      return lane.text(reinterpret_cast<const RegisteredText*>(message.registered)->text);
    default: return 0;
  }
}

std::uint32_t id_of(Lane& lane, const nvtxEventAttributes_t& known) {
  return message_id(lane, known.messageType, known.message);
}
std::string text_of(const nvtxEventAttributes_t& known) { return message_text(known.messageType, known.message); }
template <class Character>
std::uint32_t id_of(Lane& lane, const Character* text) {
  return lane.text(narrow(text));
}
template <class Character>
std::string text_of(const Character* text) {
  return std::string(narrow(text));
}

void describe(const char*, spool::NvtxRecord&, std::size_t&) {}
void describe(const wchar_t*, spool::NvtxRecord&, std::size_t&) {}
void describe(const nvtxEventAttributes_t& known, spool::NvtxRecord& record, std::size_t& bytes) {
  record.category = known.category;
  if (known.colorType == NVTX_COLOR_ARGB) {
    record.header.flags |= spool::kHasColor;
    record.color_argb = known.color;
    bytes = std::max(bytes, offsetof(spool::NvtxRecord, payload));
  }
  if (known.payloadType != NVTX_PAYLOAD_UNKNOWN) {
    record.payload_type = static_cast<std::uint32_t>(known.payloadType);
    record.payload = known.payload.ullValue;
    bytes = sizeof record;
  }
}

// What a range means to the capture window. Kept until its end: in the bits of a range's id, or of its level in its stack.
constexpr std::uint64_t kCutRange = std::uint64_t{1} << 63, kTriggerRange = kCutRange >> 1, kStepRange = kCutRange >> 2;

std::string_view domain_name(nvtxDomainHandle_t handle) {
  const auto* domain = reinterpret_cast<const Domain*>(handle);
  return domain != nullptr ? std::string_view(domain->name) : std::string_view();
}

// A range that opens the window is in it.
template <class Message>
std::uint64_t begin_range(Session& session, nvtxDomainHandle_t domain, const Message& message) {
  CaptureWindow& window = session.window();
  if (!window.limited() || window.is_over()) return window.is_open() ? 0 : kCutRange;
  const std::string text = text_of(message);
  std::uint64_t meaning = 0;
  if (window.is_trigger(text, domain_name(domain))) {
    meaning |= kTriggerRange;
    session.trigger_begins();
  }
  if (!window.is_open()) return meaning | kCutRange;
  return meaning | (window.is_step(text) ? kStepRange : 0);
}

void end_range(Session& session, Lane& lane, std::uint64_t meaning) {
  if (meaning & kStepRange) session.window().step_ends(lane.id());
  if (meaning & kTriggerRange) session.window().trigger_ends();
}

void push_meaning(Lane::RangeStack& stack, std::uint64_t meaning) {
  const std::uint64_t bit = stack.depth < 64 ? std::uint64_t{1} << stack.depth : 0;
  stack.cut = meaning & kCutRange ? stack.cut | bit : stack.cut & ~bit;
  stack.triggers = meaning & kTriggerRange ? stack.triggers | bit : stack.triggers & ~bit;
  stack.steps = meaning & kStepRange ? stack.steps | bit : stack.steps & ~bit;
}

std::uint64_t pop_meaning(const Lane::RangeStack& stack) {
  const std::uint64_t bit = stack.depth < 64 ? std::uint64_t{1} << stack.depth : 0;
  return (stack.cut & bit ? kCutRange : 0) | (stack.triggers & bit ? kTriggerRange : 0) | (stack.steps & bit ? kStepRange : 0);
}

template <class Message>
void write_begin(RecordType type, Session& session, Lane& lane, nvtxDomainHandle_t domain, const Message& message,
                 spool::NvtxRecord& record, std::size_t bytes) {
  record.header.id = id_of(lane, message);
  describe(message, record, bytes);
  record.domain = domain_id(lane, domain);
  record.time_ns = session.now_ns(record.header.flags);  // last, so that our own work is not in the range
  lane.write(type, record, bytes);
}

template <class Message>
void mark(nvtxDomainHandle_t domain, const Message& message) {
  on_lane("NVTX mark", [&](Session& session, Lane& lane) {
    if (!session.window().is_open()) return session.count_cut(1);
    spool::NvtxRecord record;
    write_begin(RecordType::nvtx_mark, session, lane, domain, message, record, offsetof(spool::NvtxRecord, range));
  });
}

std::uint16_t id_of(nvtxDomainHandle_t domain) {
  return domain != nullptr ? reinterpret_cast<const Domain*>(domain)->id : std::uint16_t{0};
}

template <class Message>
int push(nvtxDomainHandle_t domain, const Message& message) {
  on_lane("NVTX push", [&](Session& session, Lane& lane) {
    const std::uint64_t meaning = begin_range(session, domain, message);
    Lane::RangeStack& stack = lane.ranges(id_of(domain));
    push_meaning(stack, meaning);
    spool::NvtxRecord record;
    record.level = stack.depth++;
    if (meaning & kCutRange) return session.count_cut(1);
    write_begin(RecordType::nvtx_push, session, lane, domain, message, record, offsetof(spool::NvtxRecord, range));
  });
  return kNoTracking;
}

template <class Message>
nvtxRangeId_t start(nvtxDomainHandle_t domain, const Message& message) {
  nvtxRangeId_t range = 0;
  on_lane("NVTX range start", [&](Session& session, Lane& lane) {
    const std::uint64_t meaning = begin_range(session, domain, message);
    spool::NvtxRecord record;
    range = record.range = lane.next_range() | meaning;
    if (meaning & kCutRange) return session.count_cut(1);
    write_begin(RecordType::nvtx_start, session, lane, domain, message, record, offsetof(spool::NvtxRecord, color_argb));
  });
  return range;
}

// The end of a range that is kept is kept, also after the window.
int pop(nvtxDomainHandle_t domain) {
  on_lane("NVTX pop", [&](Session& session, Lane& lane) {
    spool::NvtxRecord record;
    record.time_ns = session.now_ns(record.header.flags);  // first, as above
    Lane::RangeStack& stack = lane.ranges(id_of(domain));
    const bool begun = stack.depth != 0;
    record.level = begun ? --stack.depth : spool::kNoLevel;
    const std::uint64_t meaning = begun ? pop_meaning(stack) : session.window().is_open() ? 0 : kCutRange;
    if (meaning & kCutRange) {
      session.count_cut(1);
    } else {
      record.domain = domain_id(lane, domain);
      lane.write(RecordType::nvtx_pop, record, offsetof(spool::NvtxRecord, range));
    }
    end_range(session, lane, meaning);
  });
  return kNoTracking;
}

void range_end(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  on_lane("NVTX range end", [&](Session& session, Lane& lane) {
    spool::NvtxRecord record;
    record.time_ns = session.now_ns(record.header.flags);
    record.range = id;
    if (id & kCutRange) {
      session.count_cut(1);
    } else {
      record.domain = domain_id(lane, domain);
      lane.write(RecordType::nvtx_end, record, offsetof(spool::NvtxRecord, color_argb));
    }
    end_range(session, lane, id);
  });
}

void name_category(nvtxDomainHandle_t domain, std::uint32_t category, std::string_view name) {
  on_lane("NVTX category", [&](Session&, Lane& lane) {
    const std::uint32_t id = domain_id(lane, domain);
    lane.write(RecordType::nvtx_category, spool::NvtxCategoryRecord{{.id = id}, category, lane.text(name)});
  });
}

void name_thread(std::uint32_t tid, std::string_view name) {
  on_lane("NVTX thread name", [&](Session&, Lane& lane) {
    lane.write(RecordType::thread_name, spool::ThreadNameRecord{{.flags = 1}, lane.text(name), tid});
  });
}

nvtxDomainHandle_t create_domain(std::string_view name) {
  Domain* found = nullptr;
  guarded("NVTX domain", [&] {
    Registry& all = registry();
    const RegistryLock held(all);
    for (const auto& domain : all.domains) {
      if (domain->name == name) found = domain.get();
    }
    if (found != nullptr || all.domains.size() >= UINT16_MAX) return;
    const auto id = static_cast<std::uint16_t>(all.domains.size() + 1);
    all.domains.push_back(std::make_unique<Domain>(Domain{id, std::string(name)}));
    found = all.domains.back().get();
  });
  return reinterpret_cast<nvtxDomainHandle_t>(found);
}

nvtxStringHandle_t register_text(std::string_view text) {
  RegisteredText* kept = nullptr;
  guarded("NVTX string", [&] {
    Registry& all = registry();
    const RegistryLock held(all);
    all.texts.push_back(std::make_unique<RegisteredText>(RegisteredText{std::string(text)}));
    kept = all.texts.back().get();
  });
  return reinterpret_cast<nvtxStringHandle_t>(kept);
}

// -- the functions of NVTX's tables --

void mark_ex(const nvtxEventAttributes_t* a) { mark(nullptr, known_part(a)); }
void mark_a(const char* text) { mark(nullptr, text); }
void mark_w(const wchar_t* text) { mark(nullptr, text); }
nvtxRangeId_t domain_range_start_ex(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* a) {
  return start(domain, known_part(a));
}
nvtxRangeId_t range_start_ex(const nvtxEventAttributes_t* a) { return start(nullptr, known_part(a)); }
nvtxRangeId_t range_start_a(const char* text) { return start(nullptr, text); }
nvtxRangeId_t range_start_w(const wchar_t* text) { return start(nullptr, text); }
void range_end_default(nvtxRangeId_t id) { range_end(nullptr, id); }
int range_push_ex(const nvtxEventAttributes_t* a) { return push(nullptr, known_part(a)); }
int range_push_a(const char* text) { return push(nullptr, text); }
int range_push_w(const wchar_t* text) { return push(nullptr, text); }
int range_pop() { return pop(nullptr); }
void name_category_a(std::uint32_t id, const char* name) { name_category(nullptr, id, narrow(name)); }
void name_category_w(std::uint32_t id, const wchar_t* name) { name_category(nullptr, id, narrow(name)); }
void name_thread_a(std::uint32_t tid, const char* name) { name_thread(tid, narrow(name)); }
void name_thread_w(std::uint32_t tid, const wchar_t* name) { name_thread(tid, narrow(name)); }

void domain_mark_ex(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) { mark(d, known_part(a)); }
int domain_push_ex(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) { return push(d, known_part(a)); }
int domain_pop(nvtxDomainHandle_t d) { return pop(d); }
void domain_name_category_a(nvtxDomainHandle_t d, std::uint32_t id, const char* name) {
  name_category(d, id, narrow(name));
}
void domain_name_category_w(nvtxDomainHandle_t d, std::uint32_t id, const wchar_t* name) {
  name_category(d, id, narrow(name));
}
nvtxStringHandle_t register_string_a(nvtxDomainHandle_t, const char* text) { return register_text(narrow(text)); }
nvtxStringHandle_t register_string_w(nvtxDomainHandle_t, const wchar_t* text) { return register_text(narrow(text)); }
nvtxDomainHandle_t domain_create_a(const char* name) { return create_domain(narrow(name)); }
nvtxDomainHandle_t domain_create_w(const wchar_t* name) { return create_domain(narrow(name)); }
void domain_destroy(nvtxDomainHandle_t) {}  // its events stay, and so does its name

nvtxResourceHandle_t resource_create(nvtxDomainHandle_t, nvtxResourceAttributes_t* attributes) {
  if (attributes == nullptr || attributes->identifierType != NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE) return nullptr;
  on_lane("NVTX resource", [&](Session&, Lane& lane) {
    const std::uint32_t name = message_id(lane, attributes->messageType, attributes->message);
    const auto tid = static_cast<std::uint32_t>(attributes->identifier.ullValue);
    lane.write(RecordType::thread_name, spool::ThreadNameRecord{{.flags = 1}, name, tid});
  });
  return nullptr;
}

template <class Function>
NvtxFunctionPointer generic(Function function) {
  return reinterpret_cast<NvtxFunctionPointer>(function);
}

struct TableEntry {
  unsigned id;
  NvtxFunctionPointer function;
};

bool fill(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module,
          const std::vector<TableEntry>& entries) {
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks.GetModuleFunctionTable(module, &table, &size) == 0 || table == nullptr) return false;
  for (const TableEntry& entry : entries) {
    if (entry.id < size && table[entry.id] != nullptr) *table[entry.id] = entry.function;
  }
  return true;
}

}  // namespace

bool install_nvtx(NvtxExportTable get_export_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof *callbacks ||
      callbacks->GetModuleFunctionTable == nullptr)
    return false;
  const bool core = fill(*callbacks, NVTX_CB_MODULE_CORE,
                         {{NVTX_CBID_CORE_MarkEx, generic(mark_ex)},
                          {NVTX_CBID_CORE_MarkA, generic(mark_a)},
                          {NVTX_CBID_CORE_MarkW, generic(mark_w)},
                          {NVTX_CBID_CORE_RangeStartEx, generic(range_start_ex)},
                          {NVTX_CBID_CORE_RangeStartA, generic(range_start_a)},
                          {NVTX_CBID_CORE_RangeStartW, generic(range_start_w)},
                          {NVTX_CBID_CORE_RangeEnd, generic(range_end_default)},
                          {NVTX_CBID_CORE_RangePushEx, generic(range_push_ex)},
                          {NVTX_CBID_CORE_RangePushA, generic(range_push_a)},
                          {NVTX_CBID_CORE_RangePushW, generic(range_push_w)},
                          {NVTX_CBID_CORE_RangePop, generic(range_pop)},
                          {NVTX_CBID_CORE_NameCategoryA, generic(name_category_a)},
                          {NVTX_CBID_CORE_NameCategoryW, generic(name_category_w)},
                          {NVTX_CBID_CORE_NameOsThreadA, generic(name_thread_a)},
                          {NVTX_CBID_CORE_NameOsThreadW, generic(name_thread_w)}});
  // Absent in NVTX 2, which had no domains.
  fill(*callbacks, NVTX_CB_MODULE_CORE2,
       {{NVTX_CBID_CORE2_DomainMarkEx, generic(domain_mark_ex)},
        {NVTX_CBID_CORE2_DomainRangeStartEx, generic(domain_range_start_ex)},
        {NVTX_CBID_CORE2_DomainRangeEnd, generic(range_end)},
        {NVTX_CBID_CORE2_DomainRangePushEx, generic(domain_push_ex)},
        {NVTX_CBID_CORE2_DomainRangePop, generic(domain_pop)},
        {NVTX_CBID_CORE2_DomainResourceCreate, generic(resource_create)},
        {NVTX_CBID_CORE2_DomainNameCategoryA, generic(domain_name_category_a)},
        {NVTX_CBID_CORE2_DomainNameCategoryW, generic(domain_name_category_w)},
        {NVTX_CBID_CORE2_DomainRegisterStringA, generic(register_string_a)},
        {NVTX_CBID_CORE2_DomainRegisterStringW, generic(register_string_w)},
        {NVTX_CBID_CORE2_DomainCreateA, generic(domain_create_a)},
        {NVTX_CBID_CORE2_DomainCreateW, generic(domain_create_w)},
        {NVTX_CBID_CORE2_DomainDestroy, generic(domain_destroy)}});
  return core;
}

}  // namespace gputrace::guest
