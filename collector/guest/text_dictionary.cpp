#include "collector/guest/text_dictionary.h"

#include <algorithm>
#include <cstring>

#include "collector/checksum.h"

namespace gputrace::guest {

namespace {
constexpr std::size_t kChunkBytes = 32 << 10;
}

std::uint64_t TextDictionary::hash(std::string_view text) noexcept { return spool::checksum(text.data(), text.size()); }

const TextDictionary::Entry* TextDictionary::find(std::string_view text, std::uint64_t hash) const noexcept {
  if (slots_.empty()) return nullptr;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].id != 0; at = (at + 1) & mask) {
    const Entry& entry = slots_[at];
    if (entry.hash == hash && entry.bytes == text.size() && std::memcmp(entry.text, text.data(), text.size()) == 0)
      return &entry;
  }
  return nullptr;
}

const TextDictionary::Entry* TextDictionary::add(std::string_view text, std::uint64_t hash, std::uint32_t id) {
  if (text.size() > max_bytes_ / 4) return nullptr;
  if (texts_ == max_texts_ || bytes_ + text.size() > max_bytes_) forget();
  if ((texts_ + 1) * 2 > slots_.size()) grow();
  const char* kept = keep(text);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].id != 0) at = (at + 1) & mask;
  slots_[at] = {hash, kept, static_cast<std::uint32_t>(text.size()), id};
  ++texts_;
  bytes_ += text.size();
  return &slots_[at];
}

const char* TextDictionary::keep(std::string_view text) {
  const std::size_t needed = text.size() + 1;
  if (needed > chunk_left_) {
    const std::size_t size = std::max(needed, kChunkBytes);
    chunks_.push_back(std::make_unique<char[]>(size));
    chunk_at_ = chunks_.back().get();
    chunk_left_ = size;
  }
  char* at = chunk_at_;
  std::memcpy(at, text.data(), text.size());
  at[text.size()] = '\0';
  chunk_at_ += needed;
  chunk_left_ -= needed;
  return at;
}

void TextDictionary::grow() {
  std::vector<Entry> old(std::max<std::size_t>(64, slots_.size() * 2));
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Entry& entry : old) {
    if (entry.id == 0) continue;
    std::size_t at = entry.hash & mask;
    while (slots_[at].id != 0) at = (at + 1) & mask;
    slots_[at] = entry;
  }
}

void TextDictionary::forget() noexcept {
  std::fill(slots_.begin(), slots_.end(), Entry{});
  chunks_.clear();
  chunk_at_ = nullptr;
  chunk_left_ = texts_ = bytes_ = 0;
  ++generation_;
}

}  // namespace gputrace::guest
