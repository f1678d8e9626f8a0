#include "trace/protobuf_stream.h"

#include <algorithm>

namespace gputrace::trace {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20;
constexpr std::string_view kCutOff = "the file ends in the middle", kDamaged = "the file is damaged in the middle",
                           kTooLong = "a message of over 1 GiB ends the reading";

}  // namespace

bool ProtobufStream::ensure(std::uint64_t bytes) {
  while (filled_ - position_ < bytes) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(position_), buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
    filled_ -= position_;
    position_ = 0;
    // Grows with what is really there, not with what a length claims.
    if (buffer_.size() - filled_ < kReadBytes) buffer_.resize(std::max(2 * kReadBytes, buffer_.size() + buffer_.size() / 2));
    const std::size_t read = source_.read({buffer_.data() + filled_, buffer_.size() - filled_});
    if (read == 0) return false;
    filled_ += read;
  }
  return true;
}

std::optional<std::uint64_t> ProtobufStream::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (!ensure(1)) return damage_ = kCutOff, std::nullopt;
    const auto byte = static_cast<std::uint8_t>(buffer_[position_++]);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return damage_ = kDamaged, std::nullopt;
}

std::optional<std::string_view> ProtobufStream::next(std::uint32_t field) {
  enum WireType : std::uint64_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };
  while (damage_.empty() && ensure(1)) {
    const auto key = varint();
    if (!key) break;
    const std::uint64_t wire_type = *key & 7;
    std::uint64_t bytes = wire_type == kFixed64 ? 8 : 4;
    if (wire_type == kVarint || wire_type == kLengthDelimited) {
      const auto value = varint();
      if (!value) break;
      bytes = wire_type == kVarint ? 0 : *value;
    } else if (wire_type != kFixed64 && wire_type != kFixed32) {
      damage_ = kDamaged;
      break;
    }
    if (bytes > kLongestMessageBytes) damage_ = kTooLong;
    else if (!ensure(bytes)) damage_ = kCutOff;
    if (!damage_.empty()) break;
    const std::string_view content(buffer_.data() + position_, bytes);
    position_ += bytes;
    if (wire_type == kLengthDelimited && *key >> 3 == field) return content;
  }
  if (damage_.empty() && source_.is_cut_off()) damage_ = kCutOff;
  return std::nullopt;
}

}  // namespace gputrace::trace
