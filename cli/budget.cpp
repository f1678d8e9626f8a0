#include "cli/budget.h"

#include <array>
#include <charconv>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace gputrace::cli {
namespace {

using Json = nlohmann::json;

struct Comparison {
  std::string_view sign;
  bool (*holds)(double figure, double bound);
};

// Those of two characters first: "<" would match "<=".
constexpr std::array kComparisons{
    Comparison{"<=", [](double a, double b) { return a <= b; }}, Comparison{">=", [](double a, double b) { return a >= b; }},
    Comparison{"==", [](double a, double b) { return a == b; }}, Comparison{"!=", [](double a, double b) { return a != b; }},
    Comparison{"<", [](double a, double b) { return a < b; }},   Comparison{">", [](double a, double b) { return a > b; }}};

struct Limit {
  std::string text, path;
  const Comparison* comparison = nullptr;
  double factor = 1;
  std::string baseline;  // "": the bound is the factor itself
};

struct Figure {
  std::string path;             // without "*"
  std::optional<double> value;  // none: not captured
};

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

// "0.6", "base.json" or "1.05 * base.json".
bool parse_bound(const std::string& text, Limit& limit) {
  if (const auto value = number_of(text)) {
    limit.factor = *value;
    return true;
  }
  const std::size_t star = text.find('*');
  limit.baseline = star == std::string::npos ? text : trimmed(std::string_view(text).substr(star + 1));
  if (star == std::string::npos) return !text.empty();
  const auto factor = number_of(trimmed(std::string_view(text).substr(0, star)));
  limit.factor = factor.value_or(0);
  return factor && !limit.baseline.empty();
}

std::optional<Limit> parse_limit(const std::string& text) {
  for (const Comparison& comparison : kComparisons) {
    const std::size_t at = text.find(comparison.sign);
    if (at == std::string::npos) continue;
    Limit limit{.text = text, .path = trimmed(std::string_view(text).substr(0, at)), .comparison = &comparison, .baseline = ""};
    const bool whole = parse_bound(trimmed(std::string_view(text).substr(at + comparison.sign.size())), limit);
    return whole && !limit.path.empty() ? std::optional(limit) : std::nullopt;
  }
  return std::nullopt;
}

double found_with(const Json& findings, const std::string& severity) {
  double n = 0;
  for (const auto& finding : findings) {
    n += finding.value("verdict", "") == "found" && finding.value("severity", "") == severity ? 1 : 0;
  }
  return n;
}

// Adds each figure below `node` that the rest of the path names; `done` is the path so far.
void collect(const Json& node, const std::string& rest, const std::string& done, std::vector<Figure>& figures) {
  if (rest.empty()) {
    if (node.is_number()) figures.push_back({done, node.get<double>()});
    if (node.is_null()) figures.push_back({done, std::nullopt});
    return;
  }
  const std::size_t dot = rest.find('.');
  const std::string key = rest.substr(0, dot), after = dot == std::string::npos ? "" : rest.substr(dot + 1);
  const std::string place = done.empty() ? "" : done + ".";
  if (node.is_object() && node.contains(key)) return collect(node[key], after, place + key, figures);
  if (done == "findings" && after.empty() && (key == "critical" || key == "warning" || key == "info")) {
    figures.push_back({place + key, found_with(node, key)});
    return;
  }
  if (!node.is_array()) return;
  for (std::size_t i = 0; i < node.size(); ++i) {
    const bool unused = done == "devices" && node[i].is_object() && !node[i].value("used", true);
    const bool named = done == "findings" && node[i].is_object() && node[i].value("rule", "") == key;
    if (named || key == std::to_string(i) || (key == "*" && !unused)) collect(node[i], after, place + std::to_string(i), figures);
  }
}

Result<Json> read_baseline(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) return fail("cannot read this report", path.string());
  Json report = Json::parse(in, nullptr, false);
  if (!report.is_object() || report.value("format", "") != "gputrace.report") return fail("is no JSON report of gputrace", path.string());
  return report;
}

JudgedLimit judge(const Limit& limit, const Json& report, const std::filesystem::path& folder) {
  JudgedLimit judged{.limit = limit.text, .judgement = Judgement::cannot_judge, .detail = "the report has no such figure"};
  Json baseline;
  if (!limit.baseline.empty()) {
    auto read = read_baseline(folder / limit.baseline);
    if (!read) return judged.detail = read.error().line(), judged;
    baseline = std::move(*read);
  }
  std::vector<Figure> figures;
  collect(report, limit.path, "", figures);
  for (const Figure& figure : figures) {
    std::vector<Figure> bound{{"", 1.0}};
    if (!limit.baseline.empty()) bound.clear(), collect(baseline, figure.path, "", bound);
    if (!figure.value || bound.empty() || !bound[0].value) {
      return judged.judgement = Judgement::cannot_judge,
             judged.detail = figure.path + " was not captured" + (figure.value ? " in " + limit.baseline : ""), judged;
    }
    judged.detail = fmt::format("{} is {:.6g}", figure.path, *figure.value);
    if (!limit.baseline.empty()) judged.detail += fmt::format(", {:.6g} in {}", *bound[0].value, limit.baseline);
    judged.judgement = Judgement::within;
    if (!limit.comparison->holds(*figure.value, limit.factor * *bound[0].value)) {
      return judged.judgement = Judgement::exceeded, judged;
    }
  }
  return judged;
}

Result<std::vector<Limit>> read_budget(const std::filesystem::path& path) {
  const std::string next = "see gputrace check --help for what a budget holds";
  std::ifstream in(path);
  std::stringstream text;
  if (!in || !(text << in.rdbuf())) return fail("cannot read this budget", path.string(), next);
  const toml::parse_result parsed = toml::parse(text.str(), path.string());
  if (!parsed) {
    return fail(fmt::format("is no TOML: line {}: {}", parsed.error().source().begin.line, parsed.error().description()),
                path.string(), next);
  }
  const toml::array* list = parsed.table()["limits"].as_array();
  if (list == nullptr || list->empty()) return fail("has no list of limits", path.string(), next);
  std::vector<Limit> limits;
  for (const toml::node& node : *list) {
    const auto limit = parse_limit(node.value_or(std::string()));
    if (!limit) return fail("limit '" + node.value_or(std::string("?")) + "' is not PATH OPERATOR VALUE", path.string(), next);
    limits.push_back(*limit);
  }
  return limits;
}

}  // namespace

Result<std::vector<JudgedLimit>> judge_report(const std::string& report_json, const std::filesystem::path& budget) {
  const auto limits = read_budget(budget);
  if (!limits) return tl::unexpected(limits.error());
  const Json report = Json::parse(report_json, nullptr, false);
  std::vector<JudgedLimit> judged;
  for (const Limit& limit : *limits) judged.push_back(judge(limit, report, budget.parent_path()));
  return judged;
}

}  // namespace gputrace::cli
