// The tables of the HTML report, as data for its template, with limits that keep the page small whatever the trace holds.
#pragma once

#include <kainjow/mustache.hpp>

#include "analyzer/diagnosis.h"

namespace gputrace::reports {

// has_kernels, kernels (the first kKernelsShown), and kernels_rest: what the others sum to.
void set_kernels(kainjow::mustache::data& page, const analyzer::Diagnosis& diagnosis);
inline constexpr std::size_t kKernelsShown = 200;

// has_copies and copies by direction and memory; has_sizes and sizes, the same by size.
void set_copies(kainjow::mustache::data& page, const analyzer::Diagnosis& diagnosis);

// has_links, link_columns and link_rows: a cell per pair of places.
void set_links(kainjow::mustache::data& page, const analyzer::Diagnosis& diagnosis);

// thresholds: name, value, reason.
void set_thresholds(kainjow::mustache::data& page, const analyzer::Diagnosis& diagnosis);

// Text of a file for the page: one line, cut.
std::string page_text(std::string_view text, int most = 2000);

}  // namespace gputrace::reports
