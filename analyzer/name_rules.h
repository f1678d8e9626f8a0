// The user's own names for kernels, from a small text file. One rule a line, fields separated by tabs or by "
// | ":
//
//     PATTERN | LABEL [| CLASS]          # a comment
//
// PATTERN matches the base name, the name as written or the name demangled, whole; '*' stands for any run of
// characters. The first rule that matches wins, and rules go before the built-in families. CLASS is one of
// Explanation::op_class ("other" without one).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/explain.h"
#include "analyzer/parsed_name.h"
#include "trace/result.h"

namespace gputrace::analyzer {

struct NameRule {
  std::string pattern;
  std::string label;
  std::string op_class;
};

// `where` names the file in errors: an unknown class, a line without a label.
[[nodiscard]] Result<std::vector<NameRule>> parse_name_rules(std::string_view text, const std::string& where);
[[nodiscard]] Result<std::vector<NameRule>> read_name_rules(const std::filesystem::path& file);

// $XDG_CONFIG_HOME/gputrace/names or ~/.config/gputrace/names; empty where there is no such file.
std::filesystem::path default_name_rules_file();

// The rules of `file`; where it is empty, of the default file if there is one, else none.
[[nodiscard]] Result<std::vector<NameRule>> users_name_rules(const std::filesystem::path& file);

std::optional<Explanation> explain_by_rules(const std::vector<NameRule>& rules, const ParsedName& name);

}  // namespace gputrace::analyzer
