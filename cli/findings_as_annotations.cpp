#include "cli/findings_as_annotations.h"

#include "analyzer/analyze.h"

namespace gputrace::cli {

std::vector<trace::Annotation> findings_as_annotations(const trace::Trace& trace) {
  std::vector<trace::Annotation> annotations;
  const analyzer::Diagnosis diagnosis = analyzer::analyze(trace);
  for (const analyzer::Finding& finding : diagnosis.findings) {
    if (finding.verdict != analyzer::Verdict::found) continue;
    for (const analyzer::Evidence& evidence : finding.evidence)
      annotations.push_back({.span = evidence.span, .device = evidence.device, .title = finding.title, .text = evidence.text});
  }
  return annotations;
}

}  // namespace gputrace::cli
