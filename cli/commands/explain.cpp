// gputrace explain: what kernels' names mean.
#include "analyzer/explain.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/name_rules.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "reports/plain_text.h"

namespace gputrace::cli {
namespace {

struct ExplainOptions {
  std::vector<std::string> names;
  std::string rules_file;
  bool tree = false, json = false;
};

std::string as_json(const std::string& name, const analyzer::Explanation& explanation) {
  const nlohmann::ordered_json object{{"name", name},
                                      {"library", explanation.library},
                                      {"operation", explanation.operation},
                                      {"label", explanation.label},
                                      {"sentence", explanation.sentence},
                                      {"class", explanation.op_class},
                                      {"type", explanation.type}};
  // A name may hold any bytes; dump() would throw at what is not UTF-8.
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// A name may hold what a terminal would obey.
std::string as_text(const std::string& name, const analyzer::Explanation& explanation, bool with_tree) {
  std::string text = reports::one_line(explanation.sentence) + "\n";
  if (!with_tree) return text;
  std::istringstream tree(analyzer::draw_op_tree(name));
  for (std::string line; std::getline(tree, line);) text += reports::one_line(line) + "\n";
  return text;
}

Result<void> explain_one(analyzer::Explainer& explainer, const std::string& name,
                         const ExplainOptions& options) {
  const analyzer::Explanation& explanation = explainer.explain(name);
  return write_stdout(options.json ? as_json(name, explanation) : as_text(name, explanation, options.tree));
}

Result<void> explain_names(const ExplainOptions& options) {
  auto rules = analyzer::users_name_rules(options.rules_file);
  if (!rules) return tl::unexpected(rules.error());
  analyzer::Explainer explainer(std::move(*rules));
  for (const std::string& name : options.names) {
    if (auto written = explain_one(explainer, name, options); !written) return written;
  }
  if (!options.names.empty()) return {};
  for (std::string line; std::getline(std::cin, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    if (auto written = explain_one(explainer, line, options); !written) return written;
  }
  return {};
}

void add_explain(CLI::App& app, int& exit_status) {
  const auto options = std::make_shared<ExplainOptions>();  // shared by the parser and the callback
  app.add_option("NAME", options->names,
                 "kernel names, mangled or not; without one, a name a line from standard input");
  app.add_flag("--tree", options->tree, "draw the expression that the name holds");
  app.add_flag("--json", options->json, "one object per name and line")->excludes("--tree");
  app.add_option(
      "--names", options->rules_file,
      "your own rules, PATTERN | LABEL [| CLASS] a line; else gputrace/names in the config directory");
  app.footer(
      "Examples:\n"
      "  gputrace explain --tree '_ZN5Eigen8internal15EigenMetaKernelI...'\n"
      "  gputrace explain --json < names.txt");
  app.callback([options, &exit_status] {
    const auto explained = explain_names(*options);
    exit_status = explained ? 0 : report_error(explained.error());
  });
}

}  // namespace

extern constinit const Command explain{"explain", "What kernels' names mean", add_explain};

}  // namespace gputrace::cli
