// Events of NVTX, as the tables' functions and the payload extension's bring them. On the host's threads, so: no lock, no I/O, and
// the return values that the program would see without a tool, except for the range ids that we must recognise again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <string_view>

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include "collector/guest/guarded.h"
#include "collector/guest/nvtx_registry.h"
#include "collector/guest/session.h"

namespace gputrace::guest {

using spool::RecordType;

inline constexpr int kNoTracking = NVTX_NO_PUSH_POP_TRACKING;  // what push and pop return without a tool

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
inline std::uint16_t domain_id(Lane& lane, nvtxDomainHandle_t handle) {
  const Domain* domain = domain_of(handle);
  if (domain == nullptr) return 0;
  if (lane.first_use_of_domain(domain->id)) {
    lane.write(RecordType::nvtx_domain, spool::NvtxDomainRecord{{.id = domain->id}, lane.text(domain->name), 0});
  }
  return domain->id;
}

// The attributes as far as the caller's version of the struct goes.
inline nvtxEventAttributes_t known_part(const nvtxEventAttributes_t* attributes) {
  nvtxEventAttributes_t known{};
  if (attributes != nullptr) std::memcpy(&known, attributes, std::min<std::size_t>(attributes->size, sizeof known));
  return known;
}

inline std::string message_text(std::int32_t type, const nvtxMessageValue_t& message) {
  switch (type) {
    case NVTX_MESSAGE_TYPE_ASCII: return std::string(narrow(message.ascii));
    case NVTX_MESSAGE_TYPE_UNICODE: return narrow(message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED:
      if (message.registered == nullptr) return {};
      return reinterpret_cast<const RegisteredText*>(message.registered)->text;
    default: return {};
  }
}

inline std::uint32_t message_id(Lane& lane, std::int32_t type, const nvtxMessageValue_t& message) {
  switch (type) {
    case NVTX_MESSAGE_TYPE_ASCII: return lane.text(narrow(message.ascii));
    case NVTX_MESSAGE_TYPE_UNICODE: return lane.text(narrow(message.unicode));
    case NVTX_MESSAGE_TYPE_REGISTERED:
      if (message.registered == nullptr) return 0;
      return lane.text(reinterpret_cast<const RegisteredText*>(message.registered)->text);
    default: return 0;
  }
}

inline std::uint32_t id_of(Lane& lane, const nvtxEventAttributes_t& known) {
  return message_id(lane, known.messageType, known.message);
}
inline std::string text_of(const nvtxEventAttributes_t& known) { return message_text(known.messageType, known.message); }
template <class Character>
std::uint32_t id_of(Lane& lane, const Character* text) {
  return lane.text(narrow(text));
}
template <class Character>
std::string text_of(const Character* text) {
  return std::string(narrow(text));
}

// Payloads by the extension, which the host keeps until its call returns.
struct Payloads {
  std::uint16_t domain = 0;
  const nvtxPayloadData_t* data = nullptr;
  std::size_t count = 0;
};

// Writes them before the event, and what refers to them into it. One that is too long, or of unknown length, is counted as
// dropped; the event stays.
void attach(const Payloads& payloads, Lane& lane, spool::NvtxRecord& record, std::size_t& bytes);

inline std::uint32_t id_of(Lane&, const Payloads&) { return 0; }  // such events have no text of their own
inline std::string text_of(const Payloads&) { return {}; }
inline void describe(Lane& lane, nvtxDomainHandle_t, const Payloads& payloads, spool::NvtxRecord& record, std::size_t& bytes) {
  attach(payloads, lane, record, bytes);
}
inline void describe(Lane&, nvtxDomainHandle_t, const char*, spool::NvtxRecord&, std::size_t&) {}
inline void describe(Lane&, nvtxDomainHandle_t, const wchar_t*, spool::NvtxRecord&, std::size_t&) {}
inline void describe(Lane& lane, nvtxDomainHandle_t domain, const nvtxEventAttributes_t& known, spool::NvtxRecord& record,
                     std::size_t& bytes) {
  record.category = known.category;
  if (known.colorType == NVTX_COLOR_ARGB) {
    record.header.flags |= spool::kHasColor;
    record.color_argb = known.color;
    bytes = std::max(bytes, offsetof(spool::NvtxRecord, payload));
  }
  if (known.payloadType == NVTX_PAYLOAD_TYPE_EXT) {
    const auto* data = reinterpret_cast<const nvtxPayloadData_t*>(known.payload.ullValue);
    attach({id_of(domain), data, known.reserved0 > 0 ? static_cast<std::size_t>(known.reserved0) : 0}, lane, record, bytes);
  } else if (known.payloadType != NVTX_PAYLOAD_UNKNOWN) {
    record.payload_type = static_cast<std::uint32_t>(known.payloadType);
    record.payload = known.payload.ullValue;
    bytes = sizeof record;
  }
}

// What a range means to the capture window. Kept until its end: in the bits of a range's id, or of its level in its stack.
inline constexpr std::uint64_t kCutRange = std::uint64_t{1} << 63, kTriggerRange = kCutRange >> 1, kStepRange = kCutRange >> 2;

inline std::string_view domain_name(nvtxDomainHandle_t handle) {
  const Domain* domain = domain_of(handle);
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

inline void end_range(Session& session, Lane& lane, std::uint64_t meaning) {
  if (meaning & kStepRange) session.window().step_ends(lane.id());
  if (meaning & kTriggerRange) session.window().trigger_ends();
}

inline void push_meaning(Lane::RangeStack& stack, std::uint64_t meaning) {
  const std::uint64_t bit = stack.depth < 64 ? std::uint64_t{1} << stack.depth : 0;
  stack.cut = meaning & kCutRange ? stack.cut | bit : stack.cut & ~bit;
  stack.triggers = meaning & kTriggerRange ? stack.triggers | bit : stack.triggers & ~bit;
  stack.steps = meaning & kStepRange ? stack.steps | bit : stack.steps & ~bit;
}

inline std::uint64_t pop_meaning(const Lane::RangeStack& stack) {
  const std::uint64_t bit = stack.depth < 64 ? std::uint64_t{1} << stack.depth : 0;
  return (stack.cut & bit ? kCutRange : 0) | (stack.triggers & bit ? kTriggerRange : 0) | (stack.steps & bit ? kStepRange : 0);
}

template <class Message>
void write_begin(RecordType type, Session& session, Lane& lane, nvtxDomainHandle_t domain, const Message& message,
                 spool::NvtxRecord& record, std::size_t bytes) {
  record.header.id = id_of(lane, message);
  describe(lane, domain, message, record, bytes);
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
inline int pop(nvtxDomainHandle_t domain, const Payloads& payloads = {}) {
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
      std::size_t bytes = offsetof(spool::NvtxRecord, range);
      attach(payloads, lane, record, bytes);
      record.domain = domain_id(lane, domain);
      lane.write(RecordType::nvtx_pop, record, bytes);
    }
    end_range(session, lane, meaning);
  });
  return kNoTracking;
}

inline void range_end(nvtxDomainHandle_t domain, nvtxRangeId_t id, const Payloads& payloads = {}) {
  on_lane("NVTX range end", [&](Session& session, Lane& lane) {
    spool::NvtxRecord record;
    record.time_ns = session.now_ns(record.header.flags);
    record.range = id;
    if (id & kCutRange) {
      session.count_cut(1);
    } else {
      std::size_t bytes = offsetof(spool::NvtxRecord, color_argb);
      attach(payloads, lane, record, bytes);
      record.domain = domain_id(lane, domain);
      lane.write(RecordType::nvtx_end, record, bytes);
    }
    end_range(session, lane, id);
  });
}

}  // namespace gputrace::guest
