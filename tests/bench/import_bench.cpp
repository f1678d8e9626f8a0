// LINKS: gputrace_trace ZLIB::ZLIB SQLite::SQLite3 fmt::fmt simdjson::simdjson
// Reading traces, as a ratio to the barest parser of the same bytes: JSON to simdjson's, gzip to inflate, SQLite to sqlite3_step over
// the same columns, protobuf to a walk of the same messages with protozero, text to a search for its line ends. The bare parsers make
// nothing of what they read. import_bench FILE...: each is read three times, and the least CPU time is taken; a JSON file may be
// made larger by tests/tools/repeat_trace.py, other formats by `gputrace import` and `gputrace export` of such a file. Also the peak of
// memory of the reading, as a share of the file.
#include <sqlite3.h>
#include <sys/resource.h>
#include <zlib.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "trace/protobuf_reader.h"
#include "trace/trace_reader.h"

namespace {

// Of this process, so that what else the machine does is no part of it; importers use one thread.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class Work>
double best_seconds(Work work) {
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    const double start = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - start);
  }
  return best;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The whole document as a tree, as simdjson's users do first; 0 where it is no strict JSON (NaN, a lone bracket).
std::size_t parse_json(const std::string& path) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  if (parser.load(path).get(document) != simdjson::SUCCESS) return 0;
  return document.is_object() ? document.get_object().size() : document.get_array().size();
}

// Fields of a message and of those below that events are made of: packets with their events and arguments, planes with their lines,
// events and statistics.
std::size_t walk(protozero::data_view bytes, int depth) {
  constexpr int kDeepest = 4;
  std::size_t fields = 0;
  for (protozero::pbf_reader message(bytes); message.next(); ++fields) {
    const auto tag = message.tag();
    const bool has_parts = (depth == 0 && tag == 1) || (depth == 1 && (tag == 3 || tag == 11)) || (depth > 1 && tag == 4);
    if (!has_parts || depth == kDeepest || message.wire_type() != protozero::pbf_wire_type::length_delimited) message.skip();
    else fields += walk(message.get_view(), depth + 1);
  }
  return fields;
}

std::size_t walk_protobuf(const std::string& path) {
  const std::string bytes = contents(path);
  try {
    return walk({bytes.data(), bytes.size()}, 0);
  } catch (const protozero::exception&) {
    return 0;
  }
}

std::size_t count_lines(const std::string& path) {
  const std::string bytes = contents(path);
  return static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
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

struct Bare {
  const char* name;
  std::size_t (*parse)(const std::string& path);
};

Bare bare_parser(const std::string& path) {
  const std::string start = head(path);
  if (start.starts_with("SQLite")) return {"sqlite3_step", step_all};
  if (start.starts_with("\x1f\x8b")) return {"inflate", inflate_all};
  if (start.starts_with("\x0a")) return {"protozero", walk_protobuf};
  if (start.starts_with("{") || start.starts_with("[")) return {"simdjson", parse_json};
  return {"search for line ends", count_lines};
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    const double file_mb = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
    std::size_t kernels = 0, parsed = 0;
    const double seconds = best_seconds([&] {
      const auto trace = gputrace::trace::read_trace(path);
      kernels = trace ? trace->kernels.size() : 0;
    });
    const double peak = peak_mb();  // before the bare parser, which may hold the whole file
    const Bare bare = bare_parser(path);
    const double bare_seconds = best_seconds([&] { parsed = bare.parse(path); });
    const std::string ratio = parsed == 0 ? fmt::format("{} cannot read it", bare.name)
                                          : fmt::format("{:.2f} x the time of {} ({:.0f} MB/s)", seconds / bare_seconds, bare.name, file_mb / bare_seconds);
    fmt::print("{}: {:.1f} MB, {} kernels, {:.0f} MB/s; {}; peak memory {:.0f} MB, {:.0f} % of the file\n", path, file_mb, kernels, file_mb / seconds, ratio, peak,
               100 * peak * 1.048576 / file_mb);
  }
  return argc > 1 ? 0 : 2;
}
