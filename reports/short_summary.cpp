#include "reports/short_summary.h"

#include "reports/plain_text.h"
#include "reports/wording.h"

namespace gputrace::reports {
namespace {

using analyzer::Diagnosis;
using analyzer::Finding;
using analyzer::Verdict;

constexpr std::string_view kBold = "\x1b[1m", kReset = "\x1b[0m";

const Finding* top_finding(const Diagnosis& diagnosis) {
  const auto found = with_verdict(diagnosis, Verdict::found);
  return found.empty() ? nullptr : found.front();  // findings are ranked by what they win back
}

std::string gain_line(const Diagnosis& diagnosis, const Finding* top) {
  const std::string text = top != nullptr ? gain(diagnosis, *top) : "";
  if (!text.empty()) return text;
  return top != nullptr ? "no time to win back is expected of it" : "none to expect";
}

std::string data_line(const Diagnosis& diagnosis) {
  const std::string simulated = simulated_line(diagnosis);
  return (simulated.empty() ? "" : simulated + "; ") + completeness_line(diagnosis);
}

}  // namespace

std::string short_summary(const Diagnosis& diagnosis, std::string_view next_command,
                          const FormatOptions& options) {
  const auto fitted = [&](const std::string& line) {
    return cut_to_width(one_line(line), options.width) + "\n";
  };
  const Finding* top = top_finding(diagnosis);
  const std::string first = fitted("finding: " + (top != nullptr ? top->title : verdict(diagnosis)));
  return (options.color ? std::string(kBold) + first.substr(0, first.size() - 1) + std::string(kReset) + "\n"
                        : first) +
         fitted("gain:    " + gain_line(diagnosis, top)) + fitted("data:    " + data_line(diagnosis)) +
         "trace:   " + one_line(diagnosis.file) + "\nnext:    " + one_line(next_command) + "\n";
}

}  // namespace gputrace::reports
