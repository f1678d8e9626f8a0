// What unified memory migrated in all. Page faults and addresses are no part of a trace here; their columns stay empty.
#include "reports/summary.h"

namespace gputrace::reports {
namespace {

SummaryTable make(const trace::Trace& trace, analyzer::Explainer& /*explainer*/) {
  using trace::CopyKind;
  std::int64_t to_device_bytes = 0, to_host_bytes = 0, migrations = 0;
  for (std::size_t i = 0; i < trace.copies.size(); ++i) {
    const bool to_device = trace.copies.kind[i] == CopyKind::unified_host_to_device;
    if (!to_device && trace.copies.kind[i] != CopyKind::unified_device_to_host) continue;
    (to_device ? to_device_bytes : to_host_bytes) += trace.copies.bytes[i];
    ++migrations;
  }
  if (migrations == 0) return {.columns = {}, .rows = {}, .missing = "no migrations of unified memory in the trace"};
  const auto mb = [](std::int64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  return {.columns = {{"Total HtoD Migration Size (MB)", Quantity::megabytes},
                      {"Total DtoH Migration Size (MB)", Quantity::megabytes},
                      {"Total CPU Page Faults", Quantity::count},
                      {"Total GPU PageFaults", Quantity::count},
                      {"Minimum Virtual Address", Quantity::text},
                      {"Maximum Virtual Address", Quantity::text}},
          .rows = {{mb(to_device_bytes), mb(to_host_bytes), std::monostate{}, std::monostate{}, std::monostate{}, std::monostate{}}},
          .missing = ""};
}

}  // namespace

extern const Summary um_total_sum{"um_total_sum", "unified", "Unified memory migrations", make, /*on_request=*/true, "umtotalsum"};

}  // namespace gputrace::reports
