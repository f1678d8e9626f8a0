// Answers, in words, to what people ask of a training run.
#pragma once

#include <vector>

#include "analyzer/diagnosis.h"
#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// From the findings, those that found nothing too; a question that the trace does not answer is left out. None where nothing ran on a GPU in
// steps.
std::vector<Answer> answers(const Diagnosis& diagnosis, const trace::Trace& trace, const Metrics& metrics);

}  // namespace gputrace::analyzer
