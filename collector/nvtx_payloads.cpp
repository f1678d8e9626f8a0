#include "collector/nvtx_payloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gputrace::collector {

namespace {

constexpr std::size_t kHeaderBytes = 32;
constexpr std::uint32_t kMostEntries = 1 << 16;
constexpr int kMostNested = 4;
constexpr std::size_t kMostNameBytes = 256;

// nvToolsExtPayload.h: NVTX_PAYLOAD_ENTRY_FLAG_*
constexpr std::int64_t kPointer = 1 << 1, kOffsetFromBase = 1 << 2, kOffsetFromHere = 1 << 3, kArrayMask = 7 << 4,
                       kFixedArray = 1 << 4, kHidden = 1 << 9;

enum class As : std::uint8_t { integer, whole, real, nothing };
struct Type {
  std::int64_t id;  // NVTX_PAYLOAD_ENTRY_TYPE_*
  std::uint8_t bytes;
  As as;
};
// Sizes of C's types as on 64-bit Linux.
constexpr Type kTypes[] = {
    {1, 1, As::integer},  {2, 1, As::whole},    {3, 2, As::integer},  {4, 2, As::whole},    {5, 4, As::integer},
    {6, 4, As::whole},    {7, 8, As::integer},  {8, 8, As::whole},    {9, 8, As::integer},  {10, 8, As::whole},
    {11, 1, As::integer}, {12, 1, As::whole},   {13, 2, As::integer}, {14, 2, As::whole},   {15, 4, As::integer},
    {16, 4, As::whole},   {17, 8, As::integer}, {18, 8, As::whole},   {19, 4, As::real},    {20, 8, As::real},
    {21, 16, As::nothing},{22, 8, As::whole},   {23, 8, As::whole},   {24, 4, As::whole},   {25, 1, As::whole},
    {26, 2, As::whole},   {27, 4, As::whole},   {32, 1, As::whole},   {33, 16, As::nothing},{34, 16, As::nothing},
    {42, 2, As::nothing}, {43, 4, As::real},    {44, 8, As::real},    {45, 16, As::nothing},{50, 2, As::nothing},
    {52, 4, As::nothing}, {68, 4, As::whole},   {69, 4, As::whole},   {70, 8, As::whole},   {71, 4, As::whole},
    {72, 8, As::whole},   {73, 4, As::whole},   {74, 8, As::whole},   {75, 8, As::nothing}, {76, 8, As::nothing},
    {77, 8, As::nothing}, {78, 8, As::nothing}, {80, 8, As::nothing}};

const Type* find_type(std::int64_t id) {
  const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes), [id](const Type& type) { return type.id == id; });
  return found != std::end(kTypes) ? found : nullptr;
}

std::uint64_t read_whole(std::span<const std::uint8_t> at, std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, at.data(), std::min<std::size_t>(bytes, 8));
  return value;
}

std::int64_t read_integer(std::span<const std::uint8_t> at, std::size_t bytes) {
  const int unused_bits = 64 - 8 * static_cast<int>(bytes);
  return static_cast<std::int64_t>(read_whole(at, bytes) << unused_bits) >> unused_bits;
}

std::string real(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else out += c;
  }
  out += '"';
  return out;
}

std::string scalar(const Type& type, std::span<const std::uint8_t> at) {
  switch (type.as) {
    case As::integer: return fmt::format("{}", read_integer(at, type.bytes));
    case As::whole: return fmt::format("{}", read_whole(at, type.bytes));
    case As::real: break;
    case As::nothing: return "null";
  }
  if (type.bytes == 4) {
    float value = 0;
    std::memcpy(&value, at.data(), sizeof value);
    return real(value);
  }
  double value = 0;
  std::memcpy(&value, at.data(), sizeof value);
  return real(value);
}

}  // namespace

void append_payload(std::string& binary, std::uint64_t domain, std::uint64_t schema, std::span<const std::uint8_t> payload) {
  const std::uint64_t header[] = {domain, schema, payload.size(), kHeaderBytes + payload.size()};
  static_assert(sizeof header == kHeaderBytes);
  binary.append(reinterpret_cast<const char*>(header), sizeof header);
  binary.append(reinterpret_cast<const char*>(payload.data()), payload.size());
}

void NvtxPayloads::add(trace::NvtxSchema schema) {
  const Key key{schema.domain, schema.schema};
  schemas_.try_emplace(key, std::move(schema));
}

void NvtxPayloads::add(trace::NvtxEnum enumeration) {
  const Key key{enumeration.domain, enumeration.schema};
  enums_.try_emplace(key, std::move(enumeration));
}

void NvtxPayloads::add_entry(std::int64_t domain, std::uint64_t schema, std::uint32_t index, trace::NvtxSchemaEntry entry) {
  const auto found = schemas_.find({domain, static_cast<std::int64_t>(schema)});
  // Entries come in order; one that repeats is of a repeated registration.
  if (found == schemas_.end() || index != found->second.entries.size() || index >= kMostEntries) return;
  entry.name.resize(std::min(entry.name.size(), kMostNameBytes));
  found->second.entries.push_back(std::move(entry));
}

void NvtxPayloads::add_entry(std::int64_t domain, std::uint64_t schema, std::uint32_t index, trace::NvtxEnumEntry entry) {
  const auto found = enums_.find({domain, static_cast<std::int64_t>(schema)});
  if (found == enums_.end() || index != found->second.entries.size() || index >= kMostEntries) return;
  entry.name.resize(std::min(entry.name.size(), kMostNameBytes));
  found->second.entries.push_back(std::move(entry));
}

// 0: not known, or it differs from payload to payload.
std::size_t NvtxPayloads::bytes_of(std::int64_t domain, std::int64_t type) const {
  if (const Type* known = find_type(type)) return known->bytes;
  if (const auto found = enums_.find({domain, type}); found != enums_.end()) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(found->second.value_bytes, 0, 8));
  }
  if (const auto found = schemas_.find({domain, type}); found != schemas_.end()) {
    return static_cast<std::size_t>(std::max<std::int64_t>(found->second.payload_bytes, 0));
  }
  return 0;
}

std::string NvtxPayloads::value(const trace::NvtxSchema& schema, const trace::NvtxSchemaEntry& entry, Bytes at, Limit& limit) const {
  if (entry.flags & (kPointer | kOffsetFromBase | kOffsetFromHere)) return "null";
  const std::int64_t array = entry.flags & kArrayMask;
  const bool characters = array == kFixedArray && (entry.type == 1 || entry.type == 25);
  if (characters) {
    const auto most = std::min(at.size(), static_cast<std::size_t>(std::max<std::int64_t>(entry.array_or_union_detail, 0)));
    const auto* text = reinterpret_cast<const char*>(at.data());
    return quoted({text, strnlen(text, most)});
  }
  if (array != 0) return "null";
  const std::size_t bytes = bytes_of(schema.domain, entry.type);
  if (bytes == 0 || bytes > at.size()) return "null";
  if (const Type* type = find_type(entry.type)) return scalar(*type, at);
  if (const auto found = enums_.find({schema.domain, entry.type}); found != enums_.end()) {
    const auto number = static_cast<std::int64_t>(read_whole(at, bytes));
    for (const trace::NvtxEnumEntry& known : found->second.entries) {
      if (known.value == number && !known.is_flag) return quoted(known.name);
    }
    return fmt::format("{}", number);
  }
  const auto nested = schemas_.find({schema.domain, entry.type});
  if (nested == schemas_.end() || limit.nested == kMostNested) return "null";
  ++limit.nested;
  std::string text = object(nested->second, at.first(bytes), limit);
  --limit.nested;
  return text;
}

// An offset of 0 after the first entry: behind the one before, aligned to its own size.
std::string NvtxPayloads::object(const trace::NvtxSchema& schema, Bytes payload, Limit& limit) const {
  std::string out = "{";
  std::size_t next = 0;
  for (std::size_t i = 0; i < schema.entries.size() && limit.entries_left > 0; ++i, --limit.entries_left) {
    const trace::NvtxSchemaEntry& entry = schema.entries[i];
    const std::size_t bytes = entry.flags & kPointer ? 8 : bytes_of(schema.domain, entry.type);
    const std::size_t alignment = std::clamp<std::size_t>(bytes, 1, 8);
    const bool given = i == 0 || entry.offset != 0;
    const std::size_t at = given ? static_cast<std::size_t>(std::max<std::int64_t>(entry.offset, 0))
                                 : (next + alignment - 1) / alignment * alignment;
    const bool fixed_array = (entry.flags & kArrayMask) == kFixedArray;
    const auto count = fixed_array ? std::clamp<std::int64_t>(entry.array_or_union_detail, 0, 1 << 20) : std::int64_t{1};
    next = at + bytes * static_cast<std::size_t>(count);
    if (entry.flags & kHidden) continue;
    const std::string name = entry.name.empty() ? fmt::format("{}", i) : entry.name;
    if (out.size() > 1) out += ',';
    out += quoted(name);
    out += ':';
    out += at <= payload.size() ? value(schema, entry, payload.subspan(at), limit) : "null";
    if (limit.entries_left == 0) break;
  }
  out += '}';
  return out;
}

std::optional<std::string> NvtxPayloads::in_words(std::string_view binary) const {
  std::string out;
  std::size_t payloads = 0;
  for (; binary.size() >= kHeaderBytes; ++payloads) {
    std::int64_t header[4];
    std::memcpy(header, binary.data(), sizeof header);
    const auto bytes = static_cast<std::size_t>(header[2]);
    if (bytes > binary.size() - kHeaderBytes) break;
    const auto found = schemas_.find({header[0], header[1]});
    if (found == schemas_.end()) return std::nullopt;
    const auto* payload = reinterpret_cast<const std::uint8_t*>(binary.data() + kHeaderBytes);
    Limit limit;
    if (payloads > 0) out += ',';
    out += object(found->second, {payload, bytes}, limit);
    binary.remove_prefix(kHeaderBytes + bytes);
  }
  return payloads > 1 ? "[" + out + "]" : out;
}

}  // namespace gputrace::collector
