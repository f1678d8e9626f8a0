// A table of names and what must be said of them.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "analyzer/explain.h"

namespace gputrace::tests {

struct ExplainedRow {
  std::string name;
  std::string library, operation, op_class, label, type;
};

inline void check_explained(const std::vector<ExplainedRow>& rows) {
  analyzer::Explainer explainer;
  for (const ExplainedRow& row : rows) {
    INFO(row.name);
    const analyzer::Explanation& e = explainer.explain(row.name);
    CHECK(e.library == row.library);
    CHECK(e.operation == row.operation);
    CHECK(e.op_class == row.op_class);
    CHECK(e.label == row.label);
    CHECK(e.type == row.type);
  }
}

inline std::string sentence_of(const std::string& name) {
  return analyzer::Explainer().explain(name).sentence;
}

}  // namespace gputrace::tests
