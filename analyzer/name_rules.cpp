#include "analyzer/name_rules.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr std::string_view kClasses[] = {kMatmul,    kConvolution,   kNormalization, kElementWise,
                                         kReduction, kLayoutChange,  kEmbedding,     kAttention,
                                         kOptimizer, kCommunication, kCopy,          kOther};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t bar = line.find(" | ");
    const std::size_t tab = line.find('\t');
    const std::size_t end = std::min(bar, tab);
    fields.push_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + (end == bar ? 3 : 1));
  }
}

Result<NameRule> parse_rule(std::string_view line, const std::string& where) {
  const std::vector<std::string_view> fields = fields_of(line);
  if (fields.size() < 2 || fields[0].empty() || fields[1].empty()) {
    return fail("a rule needs a pattern and a label", where, "write PATTERN | LABEL [| CLASS]");
  }
  const std::string_view op_class = fields.size() > 2 ? fields[2] : kOther;
  if (std::find(std::begin(kClasses), std::end(kClasses), op_class) == std::end(kClasses)) {
    std::string known;
    for (const std::string_view name : kClasses) known += (known.empty() ? "" : ", ") + std::string(name);
    return fail("unknown class \"" + std::string(op_class) + "\"", where, "use one of: " + known);
  }
  return NameRule{std::string(fields[0]), std::string(fields[1]), std::string(op_class)};
}

// Greedy with one place to fall back to: at most pattern x text steps, however many stars.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

Result<std::vector<NameRule>> parse_name_rules(std::string_view text, const std::string& where) {
  std::vector<NameRule> rules;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    auto rule = parse_rule(line, where + ":" + std::to_string(number));
    if (!rule) return tl::unexpected(rule.error());
    rules.push_back(std::move(*rule));
  }
  return rules;
}

Result<std::vector<NameRule>> read_name_rules(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in || text.fail()) {
    std::error_code error;
    const bool is_empty =
        std::filesystem::is_regular_file(file, error) && std::filesystem::file_size(file, error) == 0;
    if (is_empty) return std::vector<NameRule>{};
    return fail("cannot read the name rules", file.string(), "check the path given to --names");
  }
  return parse_name_rules(text.str(), file.string());
}

std::filesystem::path default_name_rules_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path file;
  if (config != nullptr && *config != '\0') {
    file = std::filesystem::path(config) / "gputrace" / "names";
  } else if (home != nullptr && *home != '\0') {
    file = std::filesystem::path(home) / ".config" / "gputrace" / "names";
  }
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) ? file : std::filesystem::path();
}

Result<std::vector<NameRule>> users_name_rules(const std::filesystem::path& file) {
  const std::filesystem::path used = file.empty() ? default_name_rules_file() : file;
  if (used.empty()) return std::vector<NameRule>{};
  return read_name_rules(used);
}

std::optional<Explanation> explain_by_rules(const std::vector<NameRule>& rules, const ParsedName& name) {
  const std::string demangled = rules.empty() || !name.is_mangled() ? std::string() : demangle(name.text());
  for (const NameRule& rule : rules) {
    const bool holds = matches(rule.pattern, name.base()) || matches(rule.pattern, name.text()) ||
                       (!demangled.empty() && matches(rule.pattern, demangled));
    if (!holds) continue;
    Explanation explanation = explanation_of({.library = "user",
                                              .operation = rule.label,
                                              .op_class = rule.op_class,
                                              .type = first_element_type(name),
                                              .why = "Named by the rule \"" + rule.pattern + "\"."});
    explanation.label = label_of(rule.label);
    return explanation;
  }
  return std::nullopt;
}

}  // namespace gputrace::analyzer
