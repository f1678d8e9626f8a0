// Texts that a lane has already written, by content, so that each goes into the spool once. Bounded: when full it
// forgets all, and a text then gets a new id, which the reader does not mind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace gputrace::guest {

class TextDictionary {
 public:
  TextDictionary(std::size_t max_texts, std::size_t max_bytes) : max_texts_(max_texts), max_bytes_(max_bytes) {}

  struct Entry {
    std::uint64_t hash = 0;
    const char* text = nullptr;
    std::uint32_t bytes = 0;
    std::uint32_t id = 0;  // 0: free slot
  };

  const Entry* find(std::string_view text, std::uint64_t hash) const noexcept;
  // The text must not be there. Null where it is too long to be kept. May forget all others, see generation().
  const Entry* add(std::string_view text, std::uint64_t hash, std::uint32_t id);
  std::uint32_t generation() const noexcept { return generation_; }  // changes when entries are forgotten

  static std::uint64_t hash(std::string_view text) noexcept;

 private:
  const char* keep(std::string_view text);
  void grow();
  void forget() noexcept;

  std::size_t max_texts_, max_bytes_, texts_ = 0, bytes_ = 0;
  std::vector<Entry> slots_;  // open addressing, a power of two, at most half full
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_left_ = 0;
  char* chunk_at_ = nullptr;
  std::uint32_t generation_ = 0;
};

}  // namespace gputrace::guest
