// Opens a trace file: ours, a Nsight Systems SQLite export of schema 2.9 or newer, or what trace/importers reads besides
// (nvprof databases, PyTorch and Chrome traces). Sniffed by content, never by name.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "trace/result.h"
#include "trace/trace.h"

namespace gputrace::trace {

struct ReadOptions {
  // Called now and then with the share done, 0 to 1; return false to stop (the result is then an Error "interrupted").
  std::function<bool(double)> progress;
};

// What of a folder is one job: the files that read_trace() knows, in the order of their names (numbers by value), not those of
// folders below. Errors: the folder cannot be read, or holds no trace.
Result<std::vector<std::filesystem::path>> traces_in_folder(const std::filesystem::path& folder);

// The file is opened read-only and never changed, nor is a journal made beside it. Absent tables and columns are
// "not captured". What is wrong with rows is counted in Trace::diagnostics; rows whose times or device cannot be used are
// left out, so in every row start_ns <= end_ns (or kNoEnd) and both lie within 2^62 ns of 0: differences never overflow.
// Of a foreign file, only processes and threads that have a row are listed. A device number means one GPU in the whole
// trace: where processes name different GPUs alike, the GPUs have the machine's numbers.
// A JSON trace that ends in the middle is read as far as it goes, with metadata.complete false.
// Errors: no such file, not a trace (and what it is), cut off, damaged, changed meanwhile; each says the next step.
Result<Trace> read_trace(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace gputrace::trace
