#include "analyzer/diff/kernel_changes.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

KernelFate fate_of(const KernelChange& kernel, double unit_ns) {
  if (kernel.calls.before == 0) return KernelFate::came;
  if (kernel.calls.after == 0) return KernelFate::went;
  const double difference_ns = std::abs(kernel.ns.difference());
  if (difference_ns < thresholds::kKernelChangeShare * kernel.ns.before) return KernelFate::same;
  if (difference_ns < thresholds::kSameStepShare * unit_ns) return KernelFate::same;
  return kernel.ns.difference() > 0 ? KernelFate::slower : KernelFate::faster;
}

void finish(std::vector<KernelChange>& kernels, double unit_ns) {
  for (KernelChange& kernel : kernels) kernel.fate = fate_of(kernel, unit_ns);
  std::stable_sort(kernels.begin(), kernels.end(), [](const KernelChange& a, const KernelChange& b) {
    return std::abs(a.ns.difference()) > std::abs(b.ns.difference());
  });
}

}  // namespace

const char* name(KernelFate fate) {
  switch (fate) {
    case KernelFate::came:
      return "came";
    case KernelFate::went:
      return "went";
    case KernelFate::slower:
      return "slower";
    case KernelFate::faster:
      return "faster";
    case KernelFate::same:
      break;
  }
  return "same";
}

KernelTotals kernel_totals(const trace::Trace& trace, trace::Span window, double units) {
  std::unordered_map<trace::StringId, KernelTotal> by_id;
  const trace::Kernels& kernels = trace.kernels;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels.start_ns[i] < window.start_ns || kernels.start_ns[i] >= window.end_ns) continue;
    KernelTotal& total = by_id[kernels.name[i]];
    total.calls += 1 / units;
    total.ns += static_cast<double>(kernels.span(i).duration_ns()) / units;
  }
  KernelTotals totals;
  for (const auto& [id, total] : by_id) {
    KernelTotal& sum = totals[demangle(trace.text(id))];  // several spellings can be one name
    sum.calls += total.calls;
    sum.ns += total.ns;
    const std::string_view written = trace.text(id);
    if (sum.as_written.empty() || written < sum.as_written) sum.as_written = written;
  }
  return totals;
}

KernelChanges compare_kernels(const KernelTotals& before, const KernelTotals& after, double unit_ns,
                              const std::vector<NameRule>& name_rules) {
  std::map<std::string, KernelChange> names, classes;
  Explainer explainer(name_rules);
  const auto add = [&](const KernelTotals& totals, double Change::*side) {
    for (const auto& [kernel, total] : totals) {
      const Explanation& explanation = explainer.explain(total.as_written);
      KernelChange& by_name = names[kernel];
      by_name.name = kernel;
      by_name.label = explanation.label;
      by_name.op_class = explanation.op_class;
      KernelChange& by_class = classes[explanation.op_class];
      by_class.name = by_class.label = by_class.op_class = explanation.op_class;
      for (KernelChange* change : {&by_name, &by_class}) {
        change->calls.*side += total.calls;
        change->ns.*side += total.ns;
      }
    }
  };
  add(before, &Change::before);
  add(after, &Change::after);
  KernelChanges changes;
  for (auto& [key, change] : names) changes.by_name.push_back(std::move(change));
  for (auto& [key, change] : classes) changes.by_class.push_back(std::move(change));
  finish(changes.by_name, unit_ns);
  finish(changes.by_class, unit_ns);
  return changes;
}

}  // namespace gputrace::analyzer
