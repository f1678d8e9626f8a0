// NVTX ranges on the host, as DOMAIN:TEXT; the default domain has no name.
#include "reports/nvtx_durations.h"
#include "reports/summary.h"

namespace gputrace::reports {
namespace {

// A push/pop and a start/end range of one name are two rows, as their durations mean different things.
constexpr char kStyleSeparator = '\x1f';

std::string style_and_name(const trace::Trace& trace, std::size_t range) {
  const char* style = trace.nvtx.kind[range] == trace::NvtxKind::push_pop ? "PushPop" : "StartEnd";
  const auto domain = trace.text(trace.nvtx.domain[range]), text = trace.text(trace.nvtx.text[range]);
  return std::string(style) + kStyleSeparator + std::string(domain) + ":" + std::string(text);
}

SummaryTable make(const trace::Trace& trace, analyzer::Explainer& /*explainer*/) {
  if (!trace.has(trace::Table::nvtx)) return {.columns = {}, .rows = {}, .missing = "no NVTX ranges in the trace"};
  const auto groups = nvtx_durations_ns(trace, [&](std::size_t i) { return style_and_name(trace, i); });
  SummaryTable table = time_summary(groups, trace.span().duration_ns(), "Instances", "Range");
  table.columns.insert(table.columns.end() - 1, {"Style", Quantity::text});
  for (auto& row : table.rows) {
    const std::string both = std::get<std::string>(row.back());
    const std::size_t separator = both.find(kStyleSeparator);
    row.back() = both.substr(separator + 1);
    row.insert(row.end() - 1, both.substr(0, separator));
  }
  return table;
}

}  // namespace

extern const Summary nvtx_sum{"nvtx_sum", "nvtx", "NVTX ranges on the host", make};

}  // namespace gputrace::reports
