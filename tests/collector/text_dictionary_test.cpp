#include <string>

#include <catch2/catch.hpp>

#include "collector/guest/text_dictionary.h"

using gputrace::guest::TextDictionary;

TEST_CASE("Texts are found by content, not by address") {
  TextDictionary texts(100, 10'000);
  std::string name = "step";
  texts.add(name, TextDictionary::hash(name), 1);
  name = "other";  // the dictionary has its own copy
  REQUIRE(texts.find("step", TextDictionary::hash("step")) != nullptr);
  CHECK(texts.find("step", TextDictionary::hash("step"))->id == 1);
  CHECK(texts.find("other", TextDictionary::hash("other")) == nullptr);
  CHECK(texts.find("ste", TextDictionary::hash("ste")) == nullptr);
}

TEST_CASE("Texts of one hash are kept apart") {
  TextDictionary texts(100, 10'000);
  texts.add("a", 5, 1);
  texts.add("b", 5, 2);
  CHECK(texts.find("a", 5)->id == 1);
  CHECK(texts.find("b", 5)->id == 2);
  CHECK(texts.find("c", 5) == nullptr);
}

TEST_CASE("A full dictionary forgets all and says so") {
  TextDictionary texts(3, 10'000);
  for (const std::string text : {"a", "b", "c"}) texts.add(text, TextDictionary::hash(text), 1);
  CHECK(texts.generation() == 0);
  texts.add("d", TextDictionary::hash("d"), 4);
  CHECK(texts.generation() == 1);
  CHECK(texts.find("a", TextDictionary::hash("a")) == nullptr);
  CHECK(texts.find("d", TextDictionary::hash("d"))->id == 4);
}

TEST_CASE("Bytes are bounded too, and a text longer than a quarter of them is not kept") {
  TextDictionary texts(1000, 1000);
  const std::string long_text(251, 'x'), longest_kept(250, 'y');
  CHECK(texts.add(long_text, 1, 1) == nullptr);
  CHECK(texts.add(longest_kept, 2, 2) != nullptr);
  for (std::uint32_t id = 3; id < 50; ++id) texts.add(longest_kept.substr(0, 200), id, id);
  CHECK(texts.generation() > 0);
}

TEST_CASE("Thousands of texts are all found") {
  TextDictionary texts(5000, 1 << 20);
  for (std::uint32_t id = 1; id <= 5000; ++id) {
    const std::string text = "range " + std::to_string(id);
    texts.add(text, TextDictionary::hash(text), id);
  }
  for (std::uint32_t id = 1; id <= 5000; ++id) {
    const std::string text = "range " + std::to_string(id);
    REQUIRE(texts.find(text, TextDictionary::hash(text)) != nullptr);
    CHECK(texts.find(text, TextDictionary::hash(text))->id == id);
  }
}
