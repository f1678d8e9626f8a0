// The spool of this process as the writer thread sees it: one file, or with a limit a file for what events refer to and
// segments for the events, of which the oldest are removed.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/guest/spool_file.h"

namespace gputrace::guest {

struct KeepLimit {
  std::int64_t time_ns = 0;  // 0: no limit. Somewhat more is kept, never less
  std::uint64_t bytes = 0;   // of all files of this process together; 0: no limit
  bool any() const { return time_ns != 0 || bytes != 0; }
};

class SpoolWriter {
 public:
  // Creates DIRECTORY/PID-STAMP.spool with header.pid. False where it cannot: error() says why.
  bool open(const std::string& directory, KeepLimit limit);
  bool is_open() const { return file_.is_open(); }
  int error() const { return file_.error(); }

  // As SpoolFile's; the records of the block are of one lane and whole.
  bool append(std::uint32_t lane, const std::uint8_t* payload, std::uint32_t bytes);
  // Rewrites the header, and lets go of segments that the limit does not cover any more.
  void flush(std::int64_t realtime_ns);
  void close();

  spool::FileHeader& header() { return file_.header; }

 private:
  struct Segment {
    std::string path;
    std::uint64_t bytes = 0, events = 0;
    std::int64_t opened_ns = 0, closed_ns = 0;  // CLOCK_REALTIME
  };
  struct LaneState {
    std::uint32_t thread = 0;
    std::uint64_t segment = UINT64_MAX;  // the last that has this lane's events
  };
  void split(std::uint32_t lane, const std::uint8_t* payload, std::uint32_t bytes);
  bool append_events(std::uint32_t lane, std::uint64_t events);
  bool open_segment();
  void close_segment(std::int64_t realtime_ns);
  void let_go(std::int64_t realtime_ns);
  std::uint64_t kept_bytes() const;

  SpoolFile file_;
  std::string path_;
  bool private_table_ = false;
  KeepLimit limit_;
  std::unique_ptr<SpoolFile> segment_file_;
  std::deque<Segment> segments_;  // the last is the open one
  std::uint64_t next_segment_ = 0;
  std::unordered_map<std::uint32_t, LaneState> lanes_;
  std::vector<std::uint8_t> described_, events_;  // of the block at hand
};

}  // namespace gputrace::guest
