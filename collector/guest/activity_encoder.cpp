#include "collector/guest/activity_encoder.h"

#include <algorithm>
#include <cstring>

#include <cupti.h>

#include "collector/checksum.h"
#include "collector/guest/kind_encoders.h"

namespace gputrace::guest {

namespace {

using spool::RecordType;

constexpr std::size_t kNameSlots = 4096;
constexpr std::size_t kMaxShapes = std::size_t{1} << 16;
constexpr std::uint32_t kMaxCallbacks = 4096;

template <class Visit>
void for_each_kind(Visit&& visit) {
  for (const auto kinds : {gpu_kinds(), host_kinds(), machine_kinds(), memory_kinds()}) {
    for (const KindEncoder& kind : kinds) visit(kind);
  }
}

}  // namespace

ActivityEncoder::ActivityEncoder(const CuptiLibrary& cupti, Lane& lane,
                                 const std::array<std::uint32_t, kMaxActivityKinds>& record_bytes)
    : cupti_(cupti), lane_(lane), record_bytes_(record_bytes), names_(kNameSlots), shapes_(1024) {
  for_each_kind([this](const KindEncoder& kind) { encoders_[kind.kind] = kind.encode; });
  encoders_[CUPTI_ACTIVITY_KIND_KERNEL] = encoders_[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL];
}

const std::vector<std::uint32_t>& ActivityEncoder::kinds() {
  static const std::vector<std::uint32_t> kinds = [] {
    std::vector<std::uint32_t> all;
    for_each_kind([&all](const KindEncoder& kind) { all.push_back(kind.kind); });
    return all;
  }();
  return kinds;
}

void ActivityEncoder::encode_buffer(std::uint8_t* buffer, std::size_t valid_bytes) {
  void* record = nullptr;
  while (cupti_.next_record(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    const auto* at = static_cast<const std::uint8_t*>(record);
    std::uint32_t kind;
    std::memcpy(&kind, at, sizeof kind);
    if (kind < kMaxActivityKinds) encode(at, record_bytes_[kind]);
  }
}

void ActivityEncoder::encode(const std::uint8_t* record, std::uint32_t bytes) {
  std::uint32_t kind;
  std::memcpy(&kind, record, sizeof kind);
  if (kind < kMaxActivityKinds && encoders_[kind] != nullptr && bytes != 0) encoders_[kind](*this, record, bytes);
}

std::uint32_t ActivityEncoder::name_id(const char* name) {
  if (name == nullptr) return 0;
  forget_names_if_stale();
  NameSlot& slot = names_[(reinterpret_cast<std::uintptr_t>(name) * 0x9E3779B97F4A7C15) >> 52];
  static_assert(kNameSlots == std::size_t{1} << (64 - 52));
  if (slot.address == name && std::strcmp(slot.text, name) == 0) return slot.id;
  const auto entry = lane_.text_entry(name);
  forget_names_if_stale();
  if (entry.text != nullptr) slot = {name, entry.text, entry.id};
  return entry.id;
}

std::uint32_t ActivityEncoder::callback_name_id(std::uint32_t domain, std::uint32_t callback) {
  forget_names_if_stale();
  if (callback >= kMaxCallbacks || cupti_.callback_name == nullptr) return 0;
  auto& known = callback_names_[domain == CUPTI_CB_DOMAIN_DRIVER_API];
  if (callback < known.size() && known[callback] != 0) return known[callback];
  const char* name = nullptr;
  if (cupti_.callback_name(domain, callback, &name) != CUPTI_SUCCESS || name == nullptr) return 0;
  const std::uint32_t id = lane_.text(name);
  forget_names_if_stale();
  if (callback >= known.size()) known.resize(callback + std::size_t{1});
  known[callback] = id;
  return id;
}

void ActivityEncoder::forget_names_if_stale() {
  if (name_generation_ == lane_.text_generation()) return;
  name_generation_ = lane_.text_generation();
  std::fill(names_.begin(), names_.end(), NameSlot{});
  for (auto& known : callback_names_) known.clear();
}

std::uint32_t ActivityEncoder::shape_id(spool::ShapeRecord& shape) {
  constexpr std::size_t kSkip = sizeof(spool::RecordHeader);
  const auto* content = reinterpret_cast<const std::uint8_t*>(&shape) + kSkip;
  const std::size_t mask = shapes_.size() - 1;
  std::size_t at = spool::checksum(content, sizeof shape - kSkip) & mask;
  for (; shapes_[at].header.id != 0; at = (at + 1) & mask) {
    if (std::memcmp(reinterpret_cast<const std::uint8_t*>(&shapes_[at]) + kSkip, content, sizeof shape - kSkip) == 0) {
      return shapes_[at].header.id;
    }
  }
  shape.header.id = next_shape_ + 1;
  if (!lane_.write(RecordType::shape, shape)) return 0;
  ++next_shape_;
  shapes_[at] = shape;
  if (++shape_count_ * 2 > shapes_.size()) grow_shapes();
  return shape.header.id;
}

// A program whose every launch differs must not fill memory: from a limit on, the dictionary starts anew.
void ActivityEncoder::grow_shapes() {
  if (shape_count_ >= kMaxShapes) {
    std::fill(shapes_.begin(), shapes_.end(), spool::ShapeRecord{});
    shape_count_ = 0;
    return;
  }
  std::vector<spool::ShapeRecord> old(shapes_.size() * 2);
  old.swap(shapes_);
  const std::size_t mask = shapes_.size() - 1;
  for (const spool::ShapeRecord& shape : old) {
    if (shape.header.id == 0) continue;
    constexpr std::size_t kSkip = sizeof(spool::RecordHeader);
    std::size_t at =
        spool::checksum(reinterpret_cast<const std::uint8_t*>(&shape) + kSkip, sizeof shape - kSkip) & mask;
    while (shapes_[at].header.id != 0) at = (at + 1) & mask;
    shapes_[at] = shape;
  }
}

}  // namespace gputrace::guest
