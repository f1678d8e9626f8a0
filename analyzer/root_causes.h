// Gains do not add up: findings that explain the same time are put under the one that explains most of it.
#pragma once

#include <vector>

#include "analyzer/diagnosis.h"
#include "analyzer/what_if.h"

namespace gputrace::analyzer {

// `findings` as sorted, found ones first by gain. A finding whose remedy wins less than thresholds::kOwnGainShare of its gain once a
// finding above has been remedied is explained by that one, then no more than info, and listed after the causes. Findings without a replayed
// remedy stay, but for pcie-bound-transfers where another says why the copies are slow.
void find_root_causes(std::vector<Finding>& findings, const WhatIf& what_if);

// Of the findings that none explains: step time now / step time with all their remedies. 1 where fewer than two have one.
double speedup_of_all_remedies(const std::vector<Finding>& findings, const WhatIf& what_if);

}  // namespace gputrace::analyzer
