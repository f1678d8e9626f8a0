// A lane: one writer of records (a thread, or the callbacks of CUPTI) and the chain of blocks it fills, which the
// writer thread reads behind it without a lock. A record is visible to the writer once committed; a block is given
// back once the next one stands behind it and all of it is written.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "collector/guest/text_dictionary.h"
#include "collector/spool_layout.h"

namespace gputrace::guest {

class BufferPool;

// What lanes share with their session.
struct LaneServices {
  BufferPool* blocks = nullptr;
  std::atomic<bool> recording{false};
  std::atomic<std::uint64_t> dropped_no_buffer{0};
  void (*block_is_full)(void* context) noexcept = nullptr;  // wakes the writer; never waits
  void* context = nullptr;
};

class Lane {
 public:
  Lane(LaneServices& services, std::uint32_t id, std::size_t max_texts, std::size_t max_text_bytes)
      : services_(services), id_(id), texts_(max_texts, max_text_bytes) {}

  // -- for the lane's owner --

  // Writes the first `bytes` (a multiple of 8) of the record and sets its type and length. False: dropped, and counted.
  template <class Record>
  bool write(spool::RecordType type, Record record, std::size_t bytes = sizeof(Record)) noexcept {
    static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) % 8 == 0);
    std::uint8_t* at = reserve(bytes);
    if (at == nullptr) return drop();
    record.header.type = type;
    record.header.words = static_cast<std::uint16_t>(bytes / 8);
    std::memcpy(at, &record, bytes);
    commit(bytes);
    return true;
  }
  // As write(), with data behind the record, padded with 0 to a multiple of 8.
  template <class Record>
  bool write_with_data(spool::RecordType type, Record record, std::string_view data) noexcept {
    const std::size_t bytes = sizeof record + ((data.size() + 7) & ~std::size_t{7});
    std::uint8_t* at = reserve(bytes);
    if (at == nullptr) return drop();
    record.header.type = type;
    record.header.words = static_cast<std::uint16_t>(bytes / 8);
    std::memset(at + bytes - 8, 0, 8);
    std::memcpy(at, &record, sizeof record);
    std::memcpy(at + sizeof record, data.data(), data.size());
    commit(bytes);
    return true;
  }
  bool drop() noexcept;  // counts one record that could not be kept; false

  // The id of the text in this lane; writes the text where it is new. 0: empty, or no room for it.
  std::uint32_t text(std::string_view text) { return text.empty() ? 0 : text_entry(text).id; }
  TextDictionary::Entry text_entry(std::string_view text);  // its .text is null where it is not kept
  std::uint32_t text_generation() const noexcept { return texts_.generation(); }

  std::uint32_t id() const noexcept { return id_; }
  bool recording() const noexcept { return services_.recording.load(std::memory_order_relaxed); }

  // NVTX state of the thread that owns the lane.
  // The stack of ranges in a domain: its depth, and a bit for each of the first 64 levels.
  struct RangeStack {
    std::uint16_t depth = 0;
    std::uint64_t cut = 0, triggers = 0, steps = 0;  // not kept; opened a capture window; a step's range
  };
  RangeStack& ranges(std::uint16_t domain);
  bool first_use_of_domain(std::uint16_t domain);  // true once
  std::uint32_t next_payload() noexcept { return ++payloads_ != 0 ? payloads_ : ++payloads_; }
  std::uint64_t next_range() noexcept { return (std::uint64_t{id_} << 32) | ++ranges_; }
  void start_thread(std::uint32_t tid, const char* thread_name);
  bool busy = false;  // guards against a signal handler that comes back here

  // -- for the writer thread --

  // Hands committed bytes to write(data, bytes) in order; partial blocks only if `all`.
  template <class Write>
  void drain(bool all, Write&& write) {
    while (next_filled(all)) {
      if (ready_end_ > ready_begin_) write(ready_begin_, static_cast<std::uint32_t>(ready_end_ - ready_begin_));
      if (!finish_filled()) return;
    }
  }

  std::atomic<Lane*> next_lane{nullptr};
  std::atomic<bool> retired{false};  // its thread has ended: the lane may get another

 private:
  struct Block;
  std::uint8_t* reserve(std::size_t bytes) noexcept;
  void commit(std::size_t bytes) noexcept;
  bool write_text(std::uint32_t id, std::string_view text) noexcept;
  bool next_filled(bool all) noexcept;
  bool finish_filled() noexcept;  // false: nothing more for now

  LaneServices& services_;
  std::uint32_t id_;
  Block* block_ = nullptr;  // the owner's
  std::uint32_t used_ = 0, next_text_ = 0, ranges_ = 0, payloads_ = 0;
  TextDictionary texts_;
  std::vector<RangeStack> stacks_;
  std::vector<bool> known_domains_;

  std::atomic<Block*> first_{nullptr};
  Block* reading_ = nullptr;  // the writer's
  const std::uint8_t* ready_begin_ = nullptr;
  const std::uint8_t* ready_end_ = nullptr;
  bool ready_is_last_ = false;
};

inline constexpr std::size_t kBlockBytes = 16 << 10;

}  // namespace gputrace::guest
