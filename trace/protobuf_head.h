// What the head of a file tells of the protobuf message that it may be.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace gputrace::trace {

// Whether the text begins with messages of field 1, and `matches` says yes for one of the first few, each as far as the head has
// it. `matches` may throw protozero::exception, where the message is cut: that is a no.
bool head_has_message(std::string_view head, const std::function<bool(std::string_view message)>& matches);

}  // namespace gputrace::trace
