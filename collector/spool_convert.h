// One trace of all spools of a recording.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "trace/result.h"

namespace gputrace::collector {

struct ConvertOptions {
  std::filesystem::path output;
  bool overwrite = false;
  std::function<void(double)> progress;  // called now and then with the share done, 0 to 1; by one thread at a time
  std::string missing{};  // what was not recorded for reasons that the spools can not tell; "": nothing is known
  unsigned workers = 0;  // spools that are converted at a time, at most eight; 0: one for each core
};

struct ConvertSummary {
  std::int64_t records = 0;  // events that the spools held; a begin and an end count one each
  std::int64_t dropped_records = 0;
  int processes = 0;
  bool complete = true;
  std::string incomplete_why;
  std::int64_t cut_events = 0;     // outside the capture windows, as asked for
  std::vector<std::string> notes;  // what could not be recorded, for people
};

// Reads each *.spool of the folder and its segments, damaged ones as far as they are whole. Fails where the folder holds no readable
// spool, or the trace cannot be written; the spools are left as they are in any case.
Result<ConvertSummary> convert_spools(const std::filesystem::path& folder, const ConvertOptions& options);

}  // namespace gputrace::collector
