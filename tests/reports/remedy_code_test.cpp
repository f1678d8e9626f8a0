#include "reports/remedy_code.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "analyzer/rule.h"

using namespace gputrace;

TEST_CASE("every line of code belongs to a rule, is one line, and stands with the others of its rule") {
  for (const reports::CodeLine& line : reports::all_code_lines()) {
    INFO(line.rule << ": " << line.code);
    const auto rules = analyzer::all_rules();
    CHECK(std::any_of(rules.begin(), rules.end(), [&](const analyzer::Rule* rule) { return std::string_view(rule->name) == line.rule; }));
    CHECK(std::string_view(line.code).size() <= 110);
    CHECK(std::string_view(line.code).find('\n') == std::string_view::npos);
    const auto of_rule = reports::code_lines(line.rule);
    CHECK(std::any_of(of_rule.begin(), of_rule.end(), [&](const reports::CodeLine& one) { return &one == &line; }));
  }
}

TEST_CASE("an unknown rule has no code") {
  CHECK(reports::code_lines("no-such-rule").empty());
  CHECK(reports::code_lines("").empty());
  CHECK(reports::code_lines("pageable-copies").size() == 3);
}
