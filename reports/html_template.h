// The texts of reports/templates, put into the program by CMake with their style and script in place.
#pragma once

namespace gputrace::reports {

const char* report_template();  // report.html.mustache
const char* diff_template();    // diff.html.mustache
const char* page_style();       // page_style.css

}  // namespace gputrace::reports
