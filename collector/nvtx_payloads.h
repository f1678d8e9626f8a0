// Payloads of NVTX events: the schemas that a program registered, and what a payload says by its schema. NCCL's say communicator,
// bytes and operation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "trace/recorder_rows.h"

namespace gputrace::collector {

// One payload as NVTX_EVENTS.binaryData holds it: domain, schema, bytes of the payload and of the whole, 8 bytes each and little-
// endian, then the payload. Several payloads of one event follow each other.
void append_payload(std::string& binary, std::uint64_t domain, std::uint64_t schema, std::span<const std::uint8_t> payload);

class NvtxPayloads {
 public:
  // Again with the same domain and id: the first stays.
  void add(trace::NvtxSchema schema);
  void add(trace::NvtxEnum enumeration);
  // `index`: at most 2^16 entries are kept; one without its schema is left out.
  void add_entry(std::int64_t domain, std::uint64_t schema, std::uint32_t index, trace::NvtxSchemaEntry entry);
  void add_entry(std::int64_t domain, std::uint64_t schema, std::uint32_t index, trace::NvtxEnumEntry entry);

  // A JSON object of the payload's fields by name; two payloads' one after the other, in an array. nullopt: a schema is not
  // known. What the bytes do not hold (pointers, strings behind them) is null.
  std::optional<std::string> in_words(std::string_view binary) const;

  template <class Visit>
  void for_each_schema(Visit&& visit) const {
    for (const auto& [key, schema] : schemas_) visit(schema);
  }
  template <class Visit>
  void for_each_enum(Visit&& visit) const {
    for (const auto& [key, enumeration] : enums_) visit(enumeration);
  }

 private:
  using Key = std::pair<std::int64_t, std::int64_t>;  // domain, schema
  using Bytes = std::span<const std::uint8_t>;
  struct Limit {  // what a hostile schema that holds itself many times comes up against
    int nested = 0;
    std::size_t entries_left = 4096;
  };
  std::string object(const trace::NvtxSchema& schema, Bytes payload, Limit& limit) const;
  std::string value(const trace::NvtxSchema& schema, const trace::NvtxSchemaEntry& entry, Bytes at, Limit& limit) const;
  std::size_t bytes_of(std::int64_t domain, std::int64_t type) const;

  std::map<Key, trace::NvtxSchema> schemas_;
  std::map<Key, trace::NvtxEnum> enums_;
};

}  // namespace gputrace::collector
