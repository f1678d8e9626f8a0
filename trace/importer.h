// One foreign format: how to know it, and how to read it. A file of trace/importers defines one object of its
// own name.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/result.h"
#include "trace/trace.h"
#include "trace/trace_reader.h"

namespace gputrace::trace {

struct SniffedFile {
  std::filesystem::path path;
  std::string head;  // the first bytes, 64 KiB at most; of the content where the file is gzip
  bool is_gzip = false;
  std::vector<std::string> sqlite_tables;  // empty where it is no SQLite file
  bool has_table(std::string_view name) const {
    for (const std::string& table : sqlite_tables) {
      if (table == name) return true;
    }
    return false;
  }
};

struct Importer {
  std::string_view format;  // for people: "Nsight Systems SQLite export"
  bool (*recognizes)(const SniffedFile& file);
  Result<Trace> (*read)(const SniffedFile& file, const ReadOptions& options);
  // What tells a general format holds for its dialects too (any Chrome JSON, a mere name): it comes last.
  enum class Preference { dialect, general };
  Preference preference = Preference::dialect;
};

std::span<const Importer* const> all_importers();

}  // namespace gputrace::trace
