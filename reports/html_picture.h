// The picture of one step for the HTML report: what ran on hosts and GPUs, and the evidence of the findings in it.
#pragma once

#include <kainjow/mustache.hpp>

#include "analyzer/diagnosis.h"

namespace gputrace::reports {

// Sets has_picture and, where the step has lanes: picture with title, height, lanes, spans, marks, classes (the legend), ticks.
void set_picture(kainjow::mustache::data& page, const analyzer::Diagnosis& diagnosis);

// Whether a piece of evidence is in the picture; its place there as data-from and data-to, 0 to 1.
bool set_place_in_picture(kainjow::mustache::data& evidence_item, const analyzer::Diagnosis& diagnosis,
                          const analyzer::Evidence& evidence);

}  // namespace gputrace::reports
