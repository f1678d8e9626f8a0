// NVIDIA's CUPTI, opened at run time and never linked, so that the traced program decides on its version. Every
// function may be absent from an older library; those in the first group are required.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gputrace::guest {

inline constexpr std::uint32_t kMaxActivityKinds = 64;

struct CuptiLibrary {
  using Result = std::uint32_t;  // CUptiResult: 0 is success
  using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records);
  using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                                   std::size_t valid_bytes);

  Result (*register_callbacks)(BufferRequested, BufferCompleted) = nullptr;
  Result (*enable)(std::uint32_t kind) = nullptr;
  Result (*flush_all)(std::uint32_t flag) = nullptr;
  Result (*next_record)(std::uint8_t* buffer, std::size_t valid_bytes, void** record) = nullptr;
  Result (*timestamp)(std::uint64_t* time_ns) = nullptr;

  using Callback = void (*)(void* user, std::uint32_t domain, std::uint32_t callback, const void* data);
  Result (*disable)(std::uint32_t kind) = nullptr;
  Result (*subscribe)(void** subscriber, Callback callback, void* user) = nullptr;
  Result (*enable_callback)(std::uint32_t enable, void* subscriber, std::uint32_t domain, std::uint32_t callback) = nullptr;
  Result (*dropped_records)(void* context, std::uint32_t stream, std::size_t* dropped) = nullptr;
  Result (*flush_period)(std::uint32_t ms) = nullptr;
  Result (*configure_unified_memory)(const void* configurations, std::uint32_t count) = nullptr;
  Result (*set_thread_id_type)(std::uint32_t type) = nullptr;
  Result (*callback_name)(std::uint32_t domain, std::uint32_t callback, const char** name) = nullptr;
  Result (*version)(std::uint32_t* version) = nullptr;
  Result (*result_string)(Result result, const char** text) = nullptr;
  const char* (*provider_metadata)() = nullptr;  // "key=value\n" lines that a CUPTI says of itself; NVIDIA's has none

  std::string path;  // as opened

  bool usable() const { return next_record != nullptr; }
};

// The one that the process has loaded already, else `path` if not "", else the newest that the loader or the
// toolkit's usual folder has. Not usable() where none is found; never closed again.
CuptiLibrary open_cupti(const std::string& path);
CuptiLibrary loaded_cupti();  // only if the process has loaded one

// Bytes of one record of each kind in the loaded library; 0: it does not know the kind. CUPTI's records carry no
// size, and a library older or newer than our headers steps by its own: so the library is shown buffers with one
// record of a kind followed by marks, and asked where the next record is.
std::array<std::uint32_t, kMaxActivityKinds> measure_records(const CuptiLibrary& cupti);

}  // namespace gputrace::guest
