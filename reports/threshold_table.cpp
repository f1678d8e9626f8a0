#include "reports/threshold_table.h"

#include "analyzer/thresholds.h"
#include "reports/quantities.h"
#include "reports/text_page.h"

namespace gputrace::reports {
namespace {

using analyzer::Threshold;
using analyzer::ThresholdUnit;

std::string value_of(const Threshold& threshold) {
  switch (threshold.unit) {
    case ThresholdUnit::share:
      return percent(threshold.value);
    case ThresholdUnit::ratio:
      return factor(threshold.value);
    case ThresholdUnit::ns:
      return duration(threshold.value);
    case ThresholdUnit::bytes:
      return byte_count(threshold.value);
    case ThresholdUnit::bytes_per_s:
      break;
  }
  return rate(threshold.value / 1e9);
}

}  // namespace

std::string thresholds_as_text(const FormatOptions& options) {
  TextPage page(options);
  page.line("What findings depend on", Ink::bold);
  for (const Threshold* threshold : analyzer::thresholds::kAll) {
    page.line(std::string(threshold->name) + " = " + value_of(*threshold), Ink::cyan);
    page.paragraph("    ", threshold->reason);
  }
  return page.take();
}

}  // namespace gputrace::reports
