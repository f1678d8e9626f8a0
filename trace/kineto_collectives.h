// What PyTorch's record_param_comms says of a collective: which one, how much, among whom.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gputrace::trace {

// Of an event's name and arguments, as JSON: "record_param_comms, collective = allreduce, type = Float, elements = 2049000, bytes =
// 8196000, group size = 8, group = [0, 1, ...]". The elements are those that go in, the bytes theirs where the type's size is known; what
// is absent is left out. nullopt for any other event, or one without a collective's name.
std::optional<std::string> collective_text(std::string_view name, std::string_view args);

}  // namespace gputrace::trace
