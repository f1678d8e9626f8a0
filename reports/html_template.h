// The text of reports/templates/report.html.mustache, put into the program by CMake.
#pragma once

namespace gputrace::reports {

const char* html_template();

}  // namespace gputrace::reports
