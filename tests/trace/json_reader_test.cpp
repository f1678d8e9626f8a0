#include "trace/json_reader.h"

#include <catch2/catch.hpp>

#include "tests/trace/sqlite_fixture.h"

namespace gputrace::trace {
namespace {

TEST_CASE("microseconds become nanoseconds exactly") {
  REQUIRE(json_microseconds_as_ns("1712195495519689.123") == 1712195495519689123);
  REQUIRE(json_microseconds_as_ns("5") == 5000);
  REQUIRE(json_microseconds_as_ns("0.001") == 1);
  REQUIRE(json_microseconds_as_ns("0.0009") == 0);
  REQUIRE(json_microseconds_as_ns("-1.5") == -1500);
  REQUIRE(json_microseconds_as_ns("\"7.25\"") == 7250);
  REQUIRE(json_microseconds_as_ns("9223372036854774") == 9223372036854774000);
  for (const char* text :
       {"", "-", "x", "1e3", "1.5.5", "null", "9223372036854775", "99999999999999999999"}) {
    INFO(text);
    REQUIRE_FALSE(json_microseconds_as_ns(text));
  }
}

TEST_CASE("whole numbers are exact, and nothing else is a number") {
  REQUIRE(json_integer("9223372036854775807") == INT64_MAX);
  REQUIRE(json_integer("\"42\"") == 42);
  REQUIRE_FALSE(json_integer("9223372036854775808"));
  REQUIRE_FALSE(json_integer("1.5"));
  REQUIRE_FALSE(json_integer("stream 7"));
}

TEST_CASE("fields and items of a value, nested ones in one piece") {
  std::string seen;
  for (JsonFields fields(R"({"a" : 1, "b":{"c":[1,2]} ,"d": "x,}\"" , "e":null})"); fields.next();) {
    seen += std::string(fields.key()) + "=" + std::string(fields.value()) + ";";
  }
  REQUIRE(seen == R"(a=1;b={"c":[1,2]};d="x,}\"";e=null;)");
  seen.clear();
  for (JsonItems items("[1, [2,3] ,{\"a\":4}]"); items.next();) seen += std::string(items.value()) + ";";
  REQUIRE(seen == "1;[2,3];{\"a\":4};");
  REQUIRE_FALSE(JsonFields("[]").next());
  REQUIRE_FALSE(JsonItems("{}").next());
}

TEST_CASE("a stream gives values longer than its buffer whole, and none longer than its limit") {
  const tests::TemporaryFolder folder;
  const auto path = folder.path() / "t";
  const std::string long_value = "\"" + std::string(3'000'000, 'x') + "\"";
  tests::write_file(path, " " + long_value + " 12 ");
  JsonStream stream(std::move(*ByteSource::open(path, false)));
  REQUIRE(stream.value() == long_value);
  REQUIRE(stream.value() == "12");
  REQUIRE(stream.peek() == '\0');
  tests::write_file(path, "\"" + std::string(JsonStream::kLongestValueBytes * 2, 'x') + "\"");
  JsonStream too_long(std::move(*ByteSource::open(path, false)));
  REQUIRE_FALSE(too_long.value());
}

}  // namespace
}  // namespace gputrace::trace
