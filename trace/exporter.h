// One format that other tools read: a file of trace/exporters defines one object of its own name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/byte_sink.h"
#include "trace/trace.h"

namespace gputrace::trace {

struct Annotation {  // something said about a span of the trace, by whoever has analyzed it
  Span span{};
  std::optional<DeviceId> device{};
  std::string title{}, text{};
};

struct Exporter {
  std::string_view format;          // "chrome", as --format takes it
  std::string_view file_extension;  // ".json"
  void (*write)(const Trace& trace, std::span<const Annotation> annotations, ByteSink& sink);
};

std::span<const Exporter* const> all_exporters();

}  // namespace gputrace::trace
