#include "analyzer/mangled_codes.h"

#include <algorithm>

namespace gputrace::analyzer {
namespace {

constexpr MangledOperator kOperators[] = {
    {"nw", "new", 0}, {"na", "new[]", 0},     {"dl", "delete", 0},  {"da", "delete[]", 0},
    {"cl", "()", 0},  {"ix", "[]", 2},        {"ps", "+", 1},       {"ng", "-", 1},
    {"ad", "&", 1},   {"de", "*", 1},         {"co", "~", 1},       {"nt", "!", 1},
    {"pp", "++", 1},  {"mm", "--", 1},        {"pl", "+", 2},       {"mi", "-", 2},
    {"ml", "*", 2},   {"dv", "/", 2},         {"rm", "%", 2},       {"an", "&", 2},
    {"or", "|", 2},   {"eo", "^", 2},         {"aS", "=", 2},       {"pL", "+=", 2},
    {"mI", "-=", 2},  {"mL", "*=", 2},        {"dV", "/=", 2},      {"rM", "%=", 2},
    {"aN", "&=", 2},  {"oR", "|=", 2},        {"eO", "^=", 2},      {"ls", "<<", 2},
    {"rs", ">>", 2},  {"lS", "<<=", 2},       {"rS", ">>=", 2},     {"eq", "==", 2},
    {"ne", "!=", 2},  {"lt", "<", 2},         {"gt", ">", 2},       {"le", "<=", 2},
    {"ge", ">=", 2},  {"ss", "<=>", 2},       {"aa", "&&", 2},      {"oo", "||", 2},
    {"cm", ",", 2},   {"pm", "->*", 2},       {"pt", "->", 2},      {"dt", ".", 2},
    {"qu", "?", 3},   {"nx", "noexcept ", 1}, {"sz", "sizeof ", 1}, {"az", "alignof ", 1},
};

struct Code {
  char code;
  std::string_view text;
};

// By letter: types are most of what a name holds.
constexpr std::string_view kBuiltinTypes[26] = {
    /*a*/ "signed char",
    "bool",
    "char",
    "double",
    "long double",
    "float",
    "__float128",
    /*h*/ "unsigned char",
    "int",
    "unsigned int",
    "",
    "long",
    "unsigned long",
    /*n*/ "__int128",
    "unsigned __int128",
    "",
    "",
    "",
    "short",
    "unsigned short",
    /*u*/ "",
    "void",
    "wchar_t",
    "long long",
    "unsigned long long",
    "..."};

constexpr Code kBuiltinTypesAfterD[] = {
    {'h', "half"},       {'i', "char32_t"},       {'s', "char16_t"},       {'u', "char8_t"},
    {'a', "auto"},       {'c', "decltype(auto)"}, {'n', "std::nullptr_t"}, {'d', "decimal64"},
    {'e', "decimal128"}, {'f', "decimal32"},
};

constexpr Code kStandardAbbreviations[] = {
    {'a', "allocator"}, {'b', "basic_string"}, {'s', "string"},
    {'i', "istream"},   {'o', "ostream"},      {'d', "iostream"},
};

template <std::size_t N>
std::string_view text_of(const Code (&table)[N], char code) {
  const auto* found =
      std::find_if(std::begin(table), std::end(table), [&](const Code& row) { return row.code == code; });
  return found == std::end(table) ? std::string_view() : found->text;
}
}  // namespace

const MangledOperator* find_mangled_operator(std::string_view code) {
  const auto* found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                   [&](const MangledOperator& op) { return op.code == code; });
  return found == std::end(kOperators) ? nullptr : found;
}

std::string_view builtin_type(char code) {
  return code >= 'a' && code <= 'z' ? kBuiltinTypes[code - 'a'] : std::string_view();
}
std::string_view builtin_type_after_d(char code) { return text_of(kBuiltinTypesAfterD, code); }
std::string_view standard_abbreviation(char code) { return text_of(kStandardAbbreviations, code); }

}  // namespace gputrace::analyzer
