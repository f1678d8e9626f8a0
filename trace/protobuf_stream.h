// The top-level messages of a protobuf file of any length, one at a time, plain or gzip.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/byte_source.h"

namespace gputrace::trace {

class ProtobufStream {
 public:
  // A message longer than this ends the reading: what inflates without end must not take all memory.
  static constexpr std::uint64_t kLongestMessageBytes = std::uint64_t{1} << 30;

  explicit ProtobufStream(ByteSource source) : source_(std::move(source)) {}

  // The bytes of the next message of that field; other fields are skipped. Valid until the next call. None at the end of the file
  // and where it cannot go on: damage() tells.
  std::optional<std::string_view> next(std::uint32_t field);
  // "" at a whole file's end; else why the reading ended.
  std::string_view damage() const { return damage_; }
  const ByteSource& source() const { return source_; }

 private:
  std::optional<std::uint64_t> varint();
  bool ensure(std::uint64_t bytes);  // in the buffer from position_ on

  ByteSource source_;
  std::vector<char> buffer_;
  std::size_t position_ = 0, filled_ = 0;
  std::string_view damage_;
};

}  // namespace gputrace::trace
