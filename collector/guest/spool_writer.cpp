#include "collector/guest/spool_writer.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "collector/guest/host_clock.h"

namespace gputrace::guest {

namespace {

constexpr std::int64_t kSegmentsPerLimit = 8;

template <class Visit>
void for_each_record(const std::uint8_t* payload, std::uint32_t bytes, Visit&& visit) {
  for (std::uint32_t at = 0; at < bytes;) {
    spool::RecordHeader header;
    std::memcpy(&header, payload + at, sizeof header);
    visit(header, payload + at);
    at += header.words * 8U;
  }
}

std::uint64_t events_in(const std::uint8_t* payload, std::uint32_t bytes) {
  std::uint64_t events = 0;
  for_each_record(payload, bytes, [&](const spool::RecordHeader& header, const std::uint8_t*) {
    events += spool::is_event(header.type);
  });
  return events;
}

}  // namespace

bool SpoolWriter::open(const std::string& directory, KeepLimit limit) {
  limit_ = limit;
  private_table_ = leave_descriptor_table();
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "/%d-%lld%s", file_.header.pid, static_cast<long long>(realtime_ns()),
                spool::kSuffix);
  path_ = directory + name.data();
  return file_.open(path_, private_table_);
}

bool SpoolWriter::append(std::uint32_t lane, const std::uint8_t* payload, std::uint32_t bytes) {
  const std::uint64_t events = events_in(payload, bytes);
  bool written = true;
  if (!limit_.any()) {
    written = file_.append(lane, payload, bytes);
  } else {
    split(lane, payload, bytes);
    if (!described_.empty()) {
      written = file_.append(lane, described_.data(), static_cast<std::uint32_t>(described_.size()));
    }
    if (written && !events_.empty()) written = append_events(lane, events);
  }
  if (written) file_.header.events += events;
  return written;
}

// A thread's record goes to both, since what follows in either belongs to that thread.
void SpoolWriter::split(std::uint32_t lane, const std::uint8_t* payload, std::uint32_t bytes) {
  described_.clear();
  events_.clear();
  LaneState& state = lanes_[lane];
  const auto put = [](std::vector<std::uint8_t>& into, const void* data, std::size_t size) {
    const auto* first = static_cast<const std::uint8_t*>(data);
    into.insert(into.end(), first, first + size);
  };
  const bool first_here = segment_file_ == nullptr || state.segment + 1 != next_segment_;
  if (first_here && state.thread != 0) {
    const spool::RecordHeader same{spool::RecordType::thread, spool::kSameThread, sizeof(spool::ThreadRecord) / 8, state.thread};
    put(events_, &same, sizeof same);
  }
  const std::size_t said = events_.size();
  for_each_record(payload, bytes, [&](const spool::RecordHeader& header, const std::uint8_t* record) {
    const bool thread = header.type == spool::RecordType::thread;
    if (thread) state.thread = header.id;
    if (thread || spool::is_event(header.type)) put(events_, record, header.words * 8U);
    if (!spool::is_event(header.type)) put(described_, record, header.words * 8U);
  });
  if (events_.size() == said) events_.clear();
}

bool SpoolWriter::append_events(std::uint32_t lane, std::uint64_t events) {
  if (segment_file_ == nullptr && !open_segment()) return false;
  if (!segment_file_->append(lane, events_.data(), static_cast<std::uint32_t>(events_.size()))) {
    return file_.fail(segment_file_->error());
  }
  lanes_[lane].segment = next_segment_ - 1;
  Segment& segment = segments_.back();
  segment.events += events;
  segment.bytes = segment_file_->size_bytes();
  const std::uint64_t most = limit_.bytes / kSegmentsPerLimit;
  if (limit_.bytes != 0 && segment.bytes >= most) {
    close_segment(realtime_ns());
    let_go(segments_.back().closed_ns);
  }
  return true;
}

bool SpoolWriter::open_segment() {
  Segment segment;
  segment.path = path_ + "." + std::to_string(next_segment_);
  segment.opened_ns = realtime_ns();
  auto file = std::make_unique<SpoolFile>();
  file->header.pid = file_.header.pid;
  file->header.parent_pid = file_.header.parent_pid;
  file->header.start_realtime_ns = segment.opened_ns;
  if (!file->open(segment.path, private_table_)) return file_.fail(file->error());
  segment_file_ = std::move(file);
  segments_.push_back(std::move(segment));
  ++next_segment_;
  return true;
}

void SpoolWriter::close_segment(std::int64_t realtime_ns) {
  segments_.back().closed_ns = realtime_ns;
  segment_file_->header.state = spool::State::finished;
  segment_file_->write_header();
  segment_file_ = nullptr;
}

std::uint64_t SpoolWriter::kept_bytes() const {
  std::uint64_t bytes = file_.size_bytes();
  for (const Segment& segment : segments_) bytes += segment.bytes;
  return bytes;
}

// The header first: a process killed in between has then let go what it says, or less.
void SpoolWriter::let_go(std::int64_t realtime_ns) {
  while (!segments_.empty() && segments_.front().closed_ns != 0) {
    const Segment& oldest = segments_.front();
    const bool too_old = limit_.time_ns != 0 && oldest.closed_ns < realtime_ns - limit_.time_ns;
    const bool too_much = limit_.bytes != 0 && kept_bytes() > limit_.bytes;
    if (!too_old && !too_much) return;
    file_.header.let_go_events += oldest.events;
    file_.header.let_go_until_realtime_ns = oldest.closed_ns;
    file_.write_header();
    unlink(oldest.path.c_str());
    segments_.pop_front();
  }
}

void SpoolWriter::flush(std::int64_t realtime_ns) {
  if (segment_file_ != nullptr && limit_.time_ns != 0 &&
      realtime_ns - segments_.back().opened_ns >= limit_.time_ns / kSegmentsPerLimit) {
    close_segment(realtime_ns);
  }
  if (limit_.any()) let_go(realtime_ns);
  file_.header.flushed_realtime_ns = realtime_ns;
  file_.write_header();
}

void SpoolWriter::close() {
  if (segment_file_ != nullptr) close_segment(realtime_ns());
  file_.close();
}

}  // namespace gputrace::guest
