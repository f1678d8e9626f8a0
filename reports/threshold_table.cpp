#include "reports/threshold_table.h"

#include "analyzer/thresholds.h"
#include "reports/quantities.h"
#include "reports/text_page.h"

namespace gputrace::reports {
namespace {

using analyzer::Threshold;
using analyzer::ThresholdUnit;

std::string in_unit(ThresholdUnit unit, double value) {
  switch (unit) {
    case ThresholdUnit::share:
      return percent(value);
    case ThresholdUnit::ratio:
      return factor(value);
    case ThresholdUnit::ns:
      return duration(value);
    case ThresholdUnit::bytes:
      return byte_count(value);
    case ThresholdUnit::bytes_per_s:
      break;
  }
  return rate(value / 1e9);
}

std::string value_of(const Threshold& threshold, double value) {
  std::string text = in_unit(threshold.unit, value);
  if (value != threshold.value) text += " (standard: " + in_unit(threshold.unit, threshold.value) + ")";
  return text;
}

}  // namespace

std::vector<ThresholdRow> threshold_rows(const std::vector<analyzer::ChangedThreshold>& changed) {
  std::vector<ThresholdRow> rows;
  for (const Threshold* threshold : analyzer::thresholds::kAll) {
    double value = threshold->value;
    for (const analyzer::ChangedThreshold& one : changed) {
      if (one.threshold == threshold) value = one.value;
    }
    rows.push_back({threshold->name, value_of(*threshold, value), threshold->reason});
  }
  return rows;
}

std::string thresholds_as_text(const FormatOptions& options, const analyzer::ThresholdSettings& settings) {
  TextPage page(options);
  page.line("What findings depend on", Ink::bold);
  for (const Threshold* threshold : analyzer::thresholds::kAll) {
    page.line(std::string(threshold->name) + " = " + value_of(*threshold, settings.value_of(*threshold)), Ink::cyan);
    page.paragraph("    ", threshold->reason);
  }
  return page.take();
}

std::string changed_thresholds(const analyzer::Diagnosis& diagnosis) {
  std::string text;
  for (const analyzer::ChangedThreshold& it : diagnosis.changed_thresholds)
    text += (text.empty() ? "" : ", ") + std::string(it.threshold->name) + " " + value_of(*it.threshold, it.value);
  return text;
}

}  // namespace gputrace::reports
