// Checks JSON text against a JSON Schema, for the keywords that our schema uses. A keyword it does not know is an error,
// so that nothing passes because it was not looked at.
#pragma once

#include <string>

namespace gputrace::tests {

// "" where valid, else the place and what is wrong there.
std::string schema_violation(const std::string& schema_text, const std::string& json_text);

}  // namespace gputrace::tests
