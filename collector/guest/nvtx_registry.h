// What NVTX handles of the host stand for. Never freed: the host may use one at any time. In plain memory, so a forked child has
// them too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nvtx3/nvToolsExt.h>

namespace gputrace::guest {

struct Domain {
  std::uint16_t id = 0;
  std::string name;
};
struct RegisteredText {
  std::string text;
};

inline const Domain* domain_of(nvtxDomainHandle_t handle) { return reinterpret_cast<const Domain*>(handle); }  // null: the default
inline std::uint16_t id_of(nvtxDomainHandle_t handle) { return handle != nullptr ? domain_of(handle)->id : std::uint16_t{0}; }

nvtxDomainHandle_t create_domain(std::string_view name);     // the same name gives the same domain
nvtxStringHandle_t register_text(std::string_view text);
std::uint64_t new_schema_id() noexcept;                      // in the range that NVTX leaves to tools

std::string narrow(const wchar_t* wide);  // UTF-8, cut at 4096 characters
inline std::string_view narrow(const char* text) { return text != nullptr ? std::string_view(text) : std::string_view(); }

}  // namespace gputrace::guest
