// What holds for every rule, whatever it finds.
#include <catch2/catch.hpp>
#include <set>
#include <string_view>

#include "analyzer/rule.h"

using namespace gputrace::analyzer;

namespace {

// A call, an assignment, an option or a variable: something to type.
bool has_code(std::string_view advice) { return advice.find_first_of("(=<") != std::string_view::npos || advice.find("--") != std::string_view::npos; }

}  // namespace

TEST_CASE("every rule has a name of its own, a question, and advice with a line of code for PyTorch, TensorFlow and plain CUDA") {
  std::set<std::string_view> names;
  for (const Rule* rule : all_rules()) {
    INFO(rule->name);
    CHECK(names.insert(rule->name).second);
    CHECK(std::string_view(rule->question).ends_with('?'));
    for (const char* advice : {rule->advice.pytorch, rule->advice.tensorflow, rule->advice.cuda}) {
      INFO(advice);
      CHECK(std::string_view(advice).size() > 40);
      CHECK(has_code(advice));
      CHECK(std::string_view(advice).ends_with('.'));
    }
  }
  CHECK(names.size() >= 33);
}
