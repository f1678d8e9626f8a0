// What payloads say, and what those of a stranger do.
#include <cstring>

#include <catch2/catch.hpp>

#include "collector/nvtx_payloads.h"

using namespace gputrace;
using collector::NvtxPayloads;

namespace {

template <class T>
std::string payload(const T& value, std::int64_t schema = 1) {
  std::string binary;
  collector::append_payload(binary, 0, static_cast<std::uint64_t>(schema), {reinterpret_cast<const std::uint8_t*>(&value), sizeof value});
  return binary;
}

NvtxPayloads with_entries(const std::vector<trace::NvtxSchemaEntry>& entries) {
  NvtxPayloads payloads;
  payloads.add(trace::NvtxSchema{.schema = 1, .payload_bytes = 16});
  for (std::size_t i = 0; i < entries.size(); ++i) payloads.add_entry(0, 1, static_cast<std::uint32_t>(i), entries[i]);
  return payloads;
}

}  // namespace

TEST_CASE("Offsets that are not given follow from the members before, aligned") {
  const auto payloads = with_entries({{.type = 12, .name = "byte"}, {.type = 15, .name = "int"}, {.type = 13, .name = "short"}});
  struct {
    std::uint8_t byte = 200;
    std::int32_t number = -5;
    std::int16_t small = -7;
  } value;
  CHECK(payloads.in_words(payload(value)) == R"({"byte":200,"int":-5,"short":-7})");
}

TEST_CASE("What the bytes do not hold is null, and names are quoted as JSON asks") {
  const auto payloads = with_entries({{.type = 75, .name = "text"}, {.flags = 2, .type = 5, .name = "po\"in\nter"},
                                      {.type = 18, .offset = 12, .name = "beyond"}, {.type = 20, .offset = 8, .name = "nan"}});
  std::uint64_t value[2] = {1, 0x7FF8000000000000};
  CHECK(payloads.in_words(payload(value)) == R"({"text":null,"po\"in\u000ater":null,"beyond":null,"nan":null})");
}

TEST_CASE("An unknown schema is nullopt, and two payloads are an array") {
  const auto payloads = with_entries({{.type = 12, .name = "a"}});
  const std::uint8_t value = 3;
  CHECK(payloads.in_words(payload(value, 2)) == std::nullopt);
  CHECK(payloads.in_words(payload(value) + payload(value)) == R"([{"a":3},{"a":3}])");
  CHECK(payloads.in_words("") == "");
  std::string cut = payload(value);
  cut.pop_back();
  CHECK(payloads.in_words(cut) == "");
}

TEST_CASE("Schemas in schemas are followed, and one that holds itself comes to an end") {
  NvtxPayloads payloads;
  payloads.add(trace::NvtxSchema{.schema = 1, .payload_bytes = 8});
  payloads.add(trace::NvtxSchema{.schema = 1000, .payload_bytes = 4});
  payloads.add_entry(0, 1, 0, trace::NvtxSchemaEntry{.type = 1000, .name = "inner"});
  payloads.add_entry(0, 1000, 0, trace::NvtxSchemaEntry{.type = 16, .name = "x"});
  const std::uint64_t value = 9;
  CHECK(payloads.in_words(payload(value)) == R"({"inner":{"x":9}})");

  NvtxPayloads endless;
  endless.add(trace::NvtxSchema{.schema = 1000, .payload_bytes = 8});
  for (std::uint32_t i = 0; i < 2000; ++i) endless.add_entry(0, 1000, i, trace::NvtxSchemaEntry{.type = 1000, .name = ""});
  const auto words = endless.in_words(payload(value, 1000));
  REQUIRE(words);
  CHECK(words->size() < 200'000);
}

TEST_CASE("A value of an enumeration is its name, another its number") {
  auto payloads = with_entries({{.type = 500, .name = "operation"}});
  payloads.add(trace::NvtxEnum{.schema = 500, .value_bytes = 4});
  payloads.add_entry(0, 500, 0, trace::NvtxEnumEntry{.value = 2, .name = "Max"});
  CHECK(payloads.in_words(payload(std::uint64_t{2})) == R"({"operation":"Max"})");
  CHECK(payloads.in_words(payload(std::uint64_t{3})) == R"({"operation":3})");
}
