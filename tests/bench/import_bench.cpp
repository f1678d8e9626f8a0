// LINKS: gputrace_trace ZLIB::ZLIB SQLite::SQLite3 fmt::fmt
// Reading traces, as a ratio to the barest reader of the same bytes: JSON to a scan of its strings, gzip to inflate, SQLite to
// sqlite3_step over the same columns. import_bench FILE...: each is read three times and the best is taken; a JSON file may be made
// larger by tests/tools/repeat_trace.py. Also the peak of memory, as a share of the file.
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trace/trace_reader.h"

namespace {

using Clock = std::chrono::steady_clock;

template <class Work>
double best_seconds(Work work) {
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

// Strings and brackets only: what any JSON parser has to look at.
std::size_t scan_json(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(std::size_t{1} << 20);
  std::size_t values = 0;
  bool is_string = false, is_escaped = false;
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), file.gcount() > 0) {
    for (std::streamsize i = 0; i < file.gcount(); ++i) {
      const char c = buffer[static_cast<std::size_t>(i)];
      if (is_escaped) is_escaped = false;
      else if (is_string && c == '\\') is_escaped = true;
      else if (c == '"') is_string = !is_string;
      else if (!is_string) values += c == '{' || c == ',';
    }
  }
  return values;
}

std::size_t inflate_all(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  gzbuffer(file, 1 << 18);
  std::vector<char> buffer(std::size_t{1} << 20);
  std::size_t bytes = 0;
  for (int read = 0; (read = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0;) bytes += static_cast<std::size_t>(read);
  gzclose(file);
  return bytes;
}

std::size_t step_all(const std::string& path) {
  sqlite3* database = nullptr;
  sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
  std::size_t rows = 0;
  for (const char* table : {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS", "StringIds"}) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, fmt::format("SELECT * FROM {}", table).c_str(), -1, &statement, nullptr) != SQLITE_OK) continue;
    for (; sqlite3_step(statement) == SQLITE_ROW; ++rows) {
      for (int column = 0; column < sqlite3_column_count(statement); ++column) rows += sqlite3_column_int64(statement, column) == INT64_MIN;
    }
    sqlite3_finalize(statement);
  }
  sqlite3_close(database);
  return rows;
}

std::string head(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(16, '\0');
  file.read(bytes.data(), 16);
  return bytes;
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i], start = head(path);
    const double file_mb = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
    std::size_t kernels = 0, checksum = 0;
    const double seconds = best_seconds([&] {
      const auto trace = gputrace::trace::read_trace(path);
      kernels = trace ? trace->kernels.size() : 0;
    });
    const double peak = peak_mb();
    const char* bare = "scan of JSON";
    double bare_seconds = 0;
    if (start.starts_with("SQLite")) bare = "sqlite3_step", bare_seconds = best_seconds([&] { checksum += step_all(path); });
    else if (start.starts_with("\x1f\x8b")) bare = "inflate", bare_seconds = best_seconds([&] { checksum += inflate_all(path); });
    else bare_seconds = best_seconds([&] { checksum += scan_json(path); });
    fmt::print("{}: {:.1f} MB, {} kernels, {:.0f} MB/s; {:.2f} x the time of a bare {} ({:.0f} MB/s); peak memory {:.0f} MB, {:.0f} % of the file [{}]\n", path, file_mb, kernels,
               file_mb / seconds, seconds / bare_seconds, bare, file_mb / bare_seconds, peak, 100 * peak * 1.048576 / file_mb, checksum % 10);
  }
  return argc > 1 ? 0 : 2;
}
