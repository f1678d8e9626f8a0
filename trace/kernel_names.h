// Kernel names for formats that keep one spelling only.
#pragma once

#include <string>
#include <string_view>

namespace gputrace::trace {

// "void conv<float>(int)" of "_Z4convIfEvi". The name as it is where it is not mangled, cannot be demangled,
// or would grow over 64 KiB.
std::string demangled(std::string_view name);

// "conv" of "void net::conv<float, (int)3>(int)": without the return type, namespaces, template and function
// arguments.
std::string_view base_name(std::string_view demangled);

}  // namespace gputrace::trace
