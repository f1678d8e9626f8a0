// Runs a program with the collector inside and gives what it wrote, said and returned.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collector/spool_convert.h"
#include "trace/trace.h"

namespace gputrace::tests {

class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

struct ProgramResult {
  int status = 0;  // exit status, or 128 + signal
  std::string out, err;
};

ProgramResult run_program(const std::vector<std::string>& command, const Environment& environment = {});

std::string child_program();
std::string fake_cupti_library();
std::string collector_library();

// What `gputrace record` puts into the environment, with a flush period of 100 ms.
Environment recording_environment(const std::filesystem::path& spools);

struct Recording {
  ProgramResult program;
  Result<collector::ConvertSummary> summary;
  trace::Trace trace;
  std::map<std::string, std::string> settings;  // META_DATA_CAPTURE; "PROCESS_<pid>_" left out of the names
  std::shared_ptr<const TemporaryFolder> folder;  // of the trace's file: copies of a recording share it

  // The rows of the trace's file, each as its values with | between them.
  std::vector<std::string> query(const std::string& sql) const;
};
// Runs the child in `mode`; with the fake CUPTI unless `cuda` is false.
Recording record_child(const std::vector<std::string>& mode, bool cuda = true, const Environment& more = {});
Recording convert(const std::filesystem::path& spools, ProgramResult program = {});

bool has_range(const trace::Trace& trace, std::string_view text);

}  // namespace gputrace::tests
