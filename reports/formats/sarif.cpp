// The findings as SARIF 2.1.0 (OASIS), for tools that show results of analyses, as GitHub's code scanning does. A finding is
// of the trace, so its place is the trace's file.
#include <nlohmann/json.hpp>

#include "reports/format.h"
#include "reports/plain_text.h"
#include "reports/wording.h"

namespace gputrace::reports {
namespace {

using Json = nlohmann::ordered_json;
using analyzer::Diagnosis;
using analyzer::Finding;
using analyzer::Severity;

const char* level_of(Severity severity) {
  if (severity == Severity::critical) return "error";
  return severity == Severity::warning ? "warning" : "note";
}

// SARIF's places are URIs: what a URI does not take as it is, is percent-encoded.
std::string uri_of(std::string_view path) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != std::string_view::npos) uri += c;
    else uri.append({'%', kHex[byte >> 4], kHex[byte & 15]});
  }
  return uri;
}

Json message(std::string_view text) { return {{"text", one_line(text)}}; }

Json rule_of(const Finding& finding) {
  std::string help;
  for (const std::string& advice : finding.advice) help += (help.empty() ? "" : "\n") + one_line(advice);
  Json rule{{"id", valid_utf8(finding.rule)}, {"shortDescription", message(finding.title)}};
  if (!help.empty()) rule["help"] = {{"text", help}};
  return rule;
}

Json result_of(const Diagnosis& diagnosis, const Finding& finding) {
  std::string text = finding.title + ". " + finding.why;
  if (const std::string win = gain(diagnosis, finding); !win.empty()) text += " Gain: " + win + ".";
  if (diagnosis.simulated) text += " (" + simulated_line(diagnosis) + ")";
  return {{"ruleId", valid_utf8(finding.rule)},
          {"level", level_of(finding.severity)},
          {"message", message(text)},
          {"locations", {{{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(diagnosis.file)}}}}}}}}};
}

std::string render(const Diagnosis& diagnosis, const FormatOptions&) {
  Json rules = Json::array(), results = Json::array();
  for (const Finding* finding : with_verdict(diagnosis, analyzer::Verdict::found)) {
    rules.push_back(rule_of(*finding));
    results.push_back(result_of(diagnosis, *finding));
  }
  const Json driver{{"name", "gputrace"}, {"rules", std::move(rules)}};
  Json run = Json::object();
  run["tool"] = {{"driver", driver}};
  run["results"] = std::move(results);
  const Json sarif{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  return sarif.dump(2) + "\n";
}

}  // namespace

extern const Format sarif{.name = "sarif", .file_extension = "sarif", .render = render};

}  // namespace gputrace::reports
