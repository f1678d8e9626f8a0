#include "reports/plain_text.h"

#include <catch2/catch.hpp>

using namespace gputrace::reports;

TEST_CASE("control characters and escape sequences do not survive one_line") {
  CHECK(one_line("a\x1b[31mb") == "a\xEF\xBF\xBD[31mb");
  CHECK(one_line("a\nb\tc\rd") == "a b c d");
  CHECK(one_line(std::string("nul\0!", 5)) == "nul\xEF\xBF\xBD!");
  CHECK(one_line("\x7f") == "\xEF\xBF\xBD");
  CHECK(one_line("\xC2\x9B" "31m") == "\xEF\xBF\xBD" "31m");           // C1 CSI as UTF-8
  CHECK(one_line("\xE2\x80\xAE" "txt.exe") == "\xEF\xBF\xBD" "txt.exe");  // right-to-left override
  CHECK(one_line("漢字 ü é") == "漢字 ü é");
}

TEST_CASE("each byte that is no UTF-8 becomes one replacement character") {
  const std::string r = "\xEF\xBF\xBD";
  CHECK(valid_utf8("\xff\xfe") == r + r);
  CHECK(valid_utf8("\xC3") == r);                            // cut off
  CHECK(valid_utf8("\xC0\xAF") == r + r);                    // overlong
  CHECK(valid_utf8("\xED\xA0\x80") == r + r + r);            // surrogate
  CHECK(valid_utf8("\xF4\x90\x80\x80") == r + r + r + r);    // above U+10FFFF
  CHECK(valid_utf8("\xF0\x9F\x98\x80") == "\xF0\x9F\x98\x80");
  CHECK(valid_utf8("a\x1b") == "a\x1b");
}

TEST_CASE("wide characters take two columns, combining ones none") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("漢字") == 4);
  CHECK(display_width("e\xCC\x81") == 1);
  CHECK(display_width("\xF0\x9F\x98\x80") == 2);
  CHECK(display_width("…·") == 2);
}

TEST_CASE("cut text never exceeds the width and keeps characters whole") {
  CHECK(cut_to_width("abcdef", 6) == "abcdef");
  CHECK(cut_to_width("abcdef", 5) == "abcd…");
  CHECK(cut_to_width("漢字漢字", 5) == "漢字…");
  CHECK(cut_to_width("漢字漢字", 4) == "漢…");
  CHECK(cut_to_width("漢", 1) == "…");
  CHECK(cut_to_width("abc", 0) == "");
}

TEST_CASE("padding counts columns, not bytes") {
  CHECK(pad_to_width("漢", 4) == "漢  ");
  CHECK(pad_to_width("ü", 3, Align::right) == "  ü");
  CHECK(pad_to_width("long", 2) == "long");
}

TEST_CASE("wrap breaks at spaces, and inside words that are longer than a line") {
  using Lines = std::vector<std::string>;
  CHECK(wrap("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrap("one two", 3) == Lines{"one", "two"});
  CHECK(wrap("abcdefgh ij", 3) == Lines{"abc", "def", "gh", "ij"});
  CHECK(wrap("", 10) == Lines{""});
  CHECK(wrap("漢字", 1) == Lines{"漢", "字"});
  for (const auto& line : wrap(std::string(1000, 'x') + " y", 17)) CHECK(display_width(line) <= 17);
}
