// The charts of the HTML report, as data for its template: numbers of a drawing 1,000 units wide, and colour classes.
#pragma once

#include <string>
#include <vector>

#include <kainjow/mustache.hpp>

#include "analyzer/diagnosis.h"

namespace gputrace::reports {

// The CSS class of the part keys[index]: "p0", ...; idle parts are grey, "i0", ...
std::string part_color(const std::vector<std::string>& keys, std::size_t index);

// One GPU's stacked bar: name, and parts with color, percent, label, share and time.
kainjow::mustache::data device_bar(const analyzer::DeviceReport& device, const std::vector<std::string>& keys);

// Sets has_overview and overview: the steps, and below them how busy each GPU is over the whole trace, with the evidence of
// the findings above it.
void set_overview(kainjow::mustache::data& page, const analyzer::Diagnosis& diagnosis);

// Sets has_steps and a bar per step; many steps share a bar, which then shows the longest of them.
void set_step_chart(kainjow::mustache::data& page, const analyzer::Diagnosis& diagnosis);

}  // namespace gputrace::reports
