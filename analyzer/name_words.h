// Names that are words joined by underscores ("ampere_sgemm_128x64_nn") and the tables that families read
// them with.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputrace::analyzer {

struct Meaning {
  std::string_view word;  // a part of the name
  const char* operation;
  const char* op_class;
};

// The first row, in the table's order, whose word is a part of the text; nullptr without one.
const Meaning* find_meaning(std::span<const Meaning> table, std::string_view text);

bool contains(std::string_view text, std::string_view part);

// The parts between underscores, empty ones left out.
std::vector<std::string_view> words_of(std::string_view text);
bool has_word(std::string_view text, std::string_view word);

// The first "128x64" or "128x128x32" at or after `from`; "" without one.
std::string_view tile_in(std::string_view text, std::size_t from = 0);

// The run of digits right after `prefix`: "4" for "stage" in "..._stage4_..."; "" without one.
std::string_view number_after(std::string_view text, std::string_view prefix);

// A detail: "tile 128x64" for ("tile ", "128x64"); "" where the value is empty.
std::string detail(std::string_view what, std::string_view value);

// "CatArrayBatchedCopy" and "exp_kernel_cuda" as words for people: "cat array batched copy", "exp".
std::string readable(std::string_view identifier);

}  // namespace gputrace::analyzer
