#include "trace/protobuf_head.h"

#include <protozero/exception.hpp>
#include <protozero/varint.hpp>

namespace gputrace::trace {

bool head_has_message(std::string_view head, const std::function<bool(std::string_view message)>& matches) {
  constexpr char kFieldOne = 0x0A;  // field 1, length-delimited
  constexpr int kMostMessages = 16;
  for (int i = 0; i < kMostMessages && !head.empty(); ++i) {
    if (head.front() != kFieldOne) return false;
    try {
      const char* at = head.data() + 1;
      const std::uint64_t length = protozero::decode_varint(&at, head.data() + head.size());
      head.remove_prefix(static_cast<std::size_t>(at - head.data()));
      if (matches(head.substr(0, length))) return true;
      if (length >= head.size()) return false;
      head.remove_prefix(length);
    } catch (const protozero::exception&) {
      return false;
    }
  }
  return false;
}

}  // namespace gputrace::trace
