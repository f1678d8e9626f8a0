#include "collector/guest/lane.h"

#include <algorithm>
#include <new>

#include "collector/guest/buffer_pool.h"

namespace gputrace::guest {

struct Lane::Block {
  std::atomic<Block*> next{nullptr};
  std::atomic<std::uint32_t> committed{0};
  std::uint32_t written = 0;  // the writer's
  std::uint8_t* data() noexcept { return reinterpret_cast<std::uint8_t*>(this) + sizeof(Block); }
  static constexpr std::uint32_t capacity() {
    return static_cast<std::uint32_t>((kBlockBytes - sizeof(Block)) & ~std::size_t{7});
  }
};

std::uint8_t* Lane::reserve(std::size_t bytes) noexcept {
  if (!recording()) return nullptr;
  if (block_ != nullptr && used_ + bytes <= Block::capacity()) return block_->data() + used_;
  std::uint8_t* memory = services_.blocks->acquire();
  if (memory == nullptr) return nullptr;
  Block* fresh = new (memory) Block;
  if (block_ == nullptr) {
    first_.store(fresh, std::memory_order_release);
  } else {
    block_->next.store(fresh, std::memory_order_release);
    services_.block_is_full(services_.context);
  }
  block_ = fresh;
  used_ = 0;
  return fresh->data();
}

void Lane::commit(std::size_t bytes) noexcept {
  used_ += static_cast<std::uint32_t>(bytes);
  block_->committed.store(used_, std::memory_order_release);
}

bool Lane::drop() noexcept {
  if (recording()) services_.dropped_no_buffer.fetch_add(1, std::memory_order_relaxed);
  return false;
}

TextDictionary::Entry Lane::text_entry(std::string_view text) {
  text = text.substr(0, spool::kMaxTextBytes);
  const std::uint64_t hash = TextDictionary::hash(text);
  if (const auto* known = texts_.find(text, hash)) return *known;
  const std::uint32_t id = next_text_ + 1;
  if (!write_text(id, text)) return {};
  next_text_ = id;
  const auto* entry = texts_.add(text, hash, id);
  return entry != nullptr ? *entry : TextDictionary::Entry{hash, nullptr, static_cast<std::uint32_t>(text.size()), id};
}

// A text whose later pieces find no room stays cut: the id is used up, so that no piece of another text joins it.
bool Lane::write_text(std::uint32_t id, std::string_view text) noexcept {
  for (std::size_t offset = 0; offset < text.size() || offset == 0; offset += spool::kMaxPieceBytes) {
    const std::string_view piece = text.substr(offset, spool::kMaxPieceBytes);
    const std::size_t bytes = sizeof(spool::TextRecord) + ((piece.size() + 7) & ~std::size_t{7});
    std::uint8_t* at = reserve(bytes);
    if (at == nullptr) {
      if (offset != 0) next_text_ = id;
      return false;
    }
    const spool::TextRecord record{{spool::RecordType::text, 0, static_cast<std::uint16_t>(bytes / 8), id},
                                   static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(piece.size())};
    std::memset(at + bytes - 8, 0, 8);
    std::memcpy(at, &record, sizeof record);
    std::memcpy(at + sizeof record, piece.data(), piece.size());
    commit(bytes);
  }
  return true;
}

Lane::RangeStack& Lane::ranges(std::uint16_t domain) {
  if (domain >= stacks_.size()) stacks_.resize(domain + std::size_t{1});
  return stacks_[domain];
}

bool Lane::first_use_of_domain(std::uint16_t domain) {
  if (domain >= known_domains_.size()) known_domains_.resize(domain + std::size_t{1});
  const bool first = !known_domains_[domain];
  known_domains_[domain] = true;
  return first;
}

void Lane::start_thread(std::uint32_t tid, const char* thread_name) {
  stacks_.clear();
  write(spool::RecordType::thread, spool::ThreadRecord{{.id = tid}});
  if (const std::uint32_t name = text(thread_name))
    write(spool::RecordType::thread_name, spool::ThreadNameRecord{{}, name, tid});
}

bool Lane::next_filled(bool all) noexcept {
  if (reading_ == nullptr) reading_ = first_.load(std::memory_order_acquire);
  if (reading_ == nullptr) return false;
  ready_is_last_ = reading_->next.load(std::memory_order_acquire) == nullptr;
  if (ready_is_last_ && !all) return false;
  const std::uint32_t committed = reading_->committed.load(std::memory_order_acquire);
  ready_begin_ = reading_->data() + reading_->written;
  ready_end_ = reading_->data() + committed;
  reading_->written = committed;
  return true;
}

bool Lane::finish_filled() noexcept {
  if (ready_is_last_) return false;
  Block* done = reading_;
  reading_ = done->next.load(std::memory_order_relaxed);
  services_.blocks->release(reinterpret_cast<std::uint8_t*>(done));
  return true;
}

}  // namespace gputrace::guest
