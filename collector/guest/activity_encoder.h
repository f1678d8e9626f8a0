// Turns CUPTI activity records into spool records of one lane. Not thread-safe: its owner takes turns by a lock.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "collector/guest/capture_window.h"
#include "collector/guest/cupti_library.h"
#include "collector/guest/lane.h"

namespace gputrace::guest {

class ActivityEncoder {
 public:
  ActivityEncoder(const CuptiLibrary& cupti, Lane& lane,
                  const std::array<std::uint32_t, kMaxActivityKinds>& record_bytes);

  // The kinds it understands, as CUpti_ActivityKind.
  static const std::vector<std::uint32_t>& kinds();

  // All records of a completed buffer. Names are copied at once: they point into CUPTI.
  void encode_buffer(std::uint8_t* buffer, std::size_t valid_bytes);
  // One record of `bytes`, as long as the loaded library's.
  void encode(const std::uint8_t* record, std::uint32_t bytes);

  // The shape's id in the lane; writes it where it is new. 0: no room.
  std::uint32_t shape_id(spool::ShapeRecord& shape);
  // From now on only records whose start is among these times, until null is given. Borrowed.
  void keep_only(const KeptTimes* times) { times_ = times; }
  bool keeps(std::uint64_t start_ns) noexcept {
    const bool kept = times_ == nullptr || times_->keep(static_cast<std::int64_t>(start_ns));
    cut_events_ += !kept;
    return kept;
  }
  std::uint64_t cut_events() const { return cut_events_; }

  std::uint32_t name_id(const char* name);                                       // of a kernel
  std::uint32_t callback_name_id(std::uint32_t domain, std::uint32_t callback);  // of an API function
  Lane& lane() { return lane_; }

 private:
  struct NameSlot {  // by the name's address; checked against the text, since modules come and go
    const char* address = nullptr;
    const char* text = nullptr;
    std::uint32_t id = 0;
  };
  void forget_names_if_stale();
  void grow_shapes();

  const CuptiLibrary& cupti_;
  Lane& lane_;
  std::array<std::uint32_t, kMaxActivityKinds> record_bytes_;
  std::array<void (*)(ActivityEncoder&, const std::uint8_t*, std::uint32_t), kMaxActivityKinds> encoders_{};  // null: not ours
  std::vector<NameSlot> names_;
  std::array<std::vector<std::uint32_t>, 2> callback_names_;
  std::uint32_t name_generation_ = 0;
  std::vector<spool::ShapeRecord> shapes_;  // open addressing, a power of two; header.id 0: free
  std::size_t shape_count_ = 0;
  std::uint32_t next_shape_ = 0;
  const KeptTimes* times_ = nullptr;
  std::uint64_t cut_events_ = 0;
};

}  // namespace gputrace::guest
