// Copies and fills, which profilers list among the kernels: "[CUDA memcpy HtoD]", "Memcpy HtoD (Pageable ->
// Device)", "Memset (Device)", AMD's "CopyHostToDevice" and its __amd_rocclr_ kernels.
#include "analyzer/name_words.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {
namespace {

using namespace op_class;

constexpr Meaning kDirections[] = {
    {"HtoD", "copy host to device", kCopy},
    {"HostToDevice", "copy host to device", kCopy},
    {"Host-to-Device", "copy host to device", kCopy},
    {"DtoH", "copy device to host", kCopy},
    {"DeviceToHost", "copy device to host", kCopy},
    {"Device-to-Host", "copy device to host", kCopy},
    {"DtoD", "copy within the device", kCopy},
    {"DeviceToDevice", "copy within the device", kCopy},
    {"Device-to-Device", "copy within the device", kCopy},
    {"PtoP", "copy between devices", kCopy},
    {"P2P", "copy between devices", kCopy},
    {"HtoH", "copy within the host", kCopy},
    {"memset", "fill", kCopy},
    {"Memset", "fill", kCopy},
    {"fillBuffer", "fill", kCopy},
    {"FillBuffer", "fill", kCopy},
    {"FillMemory", "fill", kCopy},
    {"copyBuffer", "copy", kCopy},
    {"memcpy", "copy", kCopy},
    {"Memcpy", "copy", kCopy},
};

bool is_memory(std::string_view text, std::string_view base) {
  if (text.starts_with("[CUDA mem") || text.starts_with("[HIP mem")) return true;
  for (const std::string_view prefix :
       {"Memcpy ", "Memset ", "CUDA memcpy ", "CUDA memset", "cudaMemcpy", "cudaMemset"}) {
    if (text.starts_with(prefix)) return true;
  }
  if (base.starts_with("__amd_rocclr_")) return true;
  for (const std::string_view whole :
       {"CopyHostToDevice", "CopyDeviceToHost", "CopyDeviceToDevice", "FillMemory", "Memset", "Memcpy",
        "FillBuffer", "hipMemcpy", "hipMemset"}) {
    if (base == whole) return true;
  }
  return false;
}

std::optional<Explanation> explain_memory(const ParsedName& name) {
  const std::string_view text = name.text().substr(0, 256);
  if (!is_memory(text, name.base())) return std::nullopt;
  const Meaning* direction = find_meaning(kDirections, text);
  ExplanationParts parts{.library = "memory",
                         .operation = direction != nullptr ? direction->operation : "copy",
                         .op_class = kCopy};
  const bool pageable = contains(text, "ageable");
  parts.details = {pageable ? "pageable host memory" : contains(text, "inned") ? "pinned host memory" : ""};
  if (pageable)
    parts.why =
        "The driver copies pageable memory through a buffer of its own, while the calling thread waits: "
        "pinned memory lifts both.";
  return explanation_of(std::move(parts));
}

}  // namespace

extern constinit const SignatureFamily memory{"memory", 5, explain_memory};

}  // namespace gputrace::analyzer
