#include "trace/file_sniffer.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "trace/sqlite_table_cursor.h"

namespace gputrace::trace {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHeadBytes = 64 * 1024;
constexpr std::string_view kSqliteMagic = "SQLite format 3\0"sv;
constexpr std::string_view kGzipMagic = "\x1f\x8b"sv;

struct Look {
  std::string_view magic, what, next_step;
};

// nsys export --type parquetdir, arrowdir and hdf; the first two are folders with a file per table. No library that Debian has reads
// Parquet or Arrow, and SQLite holds the same.
constexpr std::string_view kExportSqlite = "export the report as SQLite: nsys export --type sqlite --output OUT.sqlite REPORT.nsys-rep"sv;
constexpr Look kTableFiles[] = {
    {"PAR1"sv, "a Parquet table", kExportSqlite},
    {"\x89HDF"sv, "a HDF5 file", kExportSqlite},
    {"ARROW1"sv, "an Arrow table", kExportSqlite},
};

constexpr std::string_view kReadable =
    "gputrace reads its own files, SQLite files of Nsight Systems and nvprof, and PyTorch or Chrome JSON traces"sv;
constexpr std::string_view kExport = "export it: nsys export --type sqlite --output OUT.sqlite FILE"sv;

constexpr Look kLooks[] = {
    {"PK\x03\x04"sv, "a zip archive", "unpack it and give the trace inside"},
    {"QDSTRM"sv, "an unfinished Nsight Systems recording", kExport},
    {"NVR\0"sv, "a Nsight Compute report",
     "Nsight Compute profiles single kernels: record the run with `gputrace record`"},
    {"\x7f"
     "ELF"sv,
     "a program", "to record it: gputrace record -- FILE"},
    {"<?xml"sv, "XML", kReadable},
    {"<!DOCTYPE"sv, "XML or HTML", kReadable},
    {"<html"sv, "HTML", kReadable},
    {"{"sv, "JSON of another kind", kReadable},
    {"["sv, "JSON of another kind", kReadable},
    {"\x28\xb5\x2f\xfd"sv, "compressed with zstd", "unpack it: unzstd FILE"},
    {"\xfd"
     "7zXZ"sv,
     "compressed with xz", "unpack it: unxz FILE"},
};

std::string inflated_head(const std::string& bytes) {
  std::string text(kHeadBytes, '\0');
  z_stream stream{};
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  inflate(&stream, Z_SYNC_FLUSH);
  text.resize(text.size() - stream.avail_out);
  inflateEnd(&stream);
  return text;
}

std::uint32_t big_endian(std::string_view bytes, std::size_t offset, std::size_t length) {
  std::uint32_t value = 0;
  for (const char c : bytes.substr(offset, length)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// The SQLite header tells how many pages the file must have: https://www.sqlite.org/fileformat.html,
// section 1.3. 0: the header does not say (written by a SQLite before 3.7.0).
std::uintmax_t sqlite_size_bytes(std::string_view head) {
  constexpr std::size_t kPageSizeAt = 16, kChangesAt = 24, kPagesAt = 28, kValidForAt = 92,
                        kHeaderBytes = 100;
  if (head.size() < kHeaderBytes) return kHeaderBytes;
  const std::uint32_t page_size = big_endian(head, kPageSizeAt, 2);
  if (big_endian(head, kChangesAt, 4) != big_endian(head, kValidForAt, 4)) return 0;
  return std::uintmax_t{page_size == 1 ? 65536 : page_size} * big_endian(head, kPagesAt, 4);
}

Result<void> sniff_sqlite(SniffedFile& file, std::uintmax_t size_bytes) {
  const std::uintmax_t expected_bytes = sqlite_size_bytes(file.head);
  if (size_bytes < expected_bytes) {
    return fail(fmt::format("cut off: {} of at least {} bytes of a SQLite file are there", size_bytes,
                            expected_bytes),
                file.path.string(), "copy it again, or export it again");
  }
  const auto database = SqliteFile::open(file.path);
  if (!database) return tl::unexpected(database.error());
  file.sqlite_tables = database->tables();
  return {};
}

Result<std::string> read_head(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail(fmt::format("cannot read: {}", std::strerror(errno)), path.string());
  std::string head(kHeadBytes, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  return head;
}

std::string first_tables(const std::vector<std::string>& tables) {
  constexpr std::size_t kMost = 3;
  if (tables.empty()) return "no table";
  std::string list;
  for (std::size_t i = 0; i < std::min(tables.size(), kMost); ++i)
    list += (i ? ", " : "") + tables[i].substr(0, 40);
  return fmt::format("{} table{}: {}{}", tables.size(), tables.size() == 1 ? "" : "s", list,
                     tables.size() > kMost ? ", ..." : "");
}

bool is_nsight_systems_report(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".nsys-rep" || extension == ".qdrep";
}

}  // namespace

Result<SniffedFile> sniff_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return fail("no such file", path.string());
  if (std::filesystem::is_directory(status))
    return fail("a folder, not a trace", path.string(), "give a file");
  if (!std::filesystem::is_regular_file(status)) return fail("not a regular file", path.string());
  auto head = read_head(path);
  if (!head) return tl::unexpected(std::move(head.error()));
  if (head->empty()) return fail("empty file", path.string(), "record or export it again");

  SniffedFile file{.path = path, .head = std::move(*head), .is_gzip = false, .sqlite_tables = {}};
  if (file.head.starts_with(kSqliteMagic)) {
    if (auto done = sniff_sqlite(file, std::filesystem::file_size(path, error)); !done) {
      return tl::unexpected(std::move(done.error()));
    }
  } else if (file.head.starts_with(kGzipMagic)) {
    file.is_gzip = true;
    file.head = inflated_head(file.head);
  }
  return file;
}

std::optional<Error> explain_table_file(const SniffedFile& file) {
  for (const Look& look : kTableFiles) {
    if (file.head.starts_with(look.magic)) return Error{fmt::format("not a trace that gputrace reads: {}", look.what), file.path.string(), std::string(look.next_step)};
  }
  return std::nullopt;
}

Error explain_unknown_file(const SniffedFile& file) {
  const std::string where = file.path.string();
  if (file.head.starts_with(kSqliteMagic)) {
    return {fmt::format("a SQLite file, but not a trace ({})", first_tables(file.sqlite_tables)), where,
            std::string(kReadable)};
  }
  if (is_nsight_systems_report(file.path)) {
    return {"a Nsight Systems report in its own format", where, std::string(kExport)};
  }
  const std::size_t start = file.head.find_first_not_of(" \t\r\n");
  const std::string_view text = std::string_view(file.head).substr(start == std::string::npos ? 0 : start);
  if (const auto table = explain_table_file(file)) return *table;
  for (const Look& look : kLooks) {
    if (!text.starts_with(look.magic)) continue;
    return {fmt::format("not a trace: {}{}", file.is_gzip ? "gzip, holding " : "", look.what), where,
            std::string(look.next_step)};
  }
  return {
      fmt::format("not a trace: {}of no known format", file.is_gzip ? "gzip, holding a file " : "a file "),
      where, std::string(kReadable)};
}

}  // namespace gputrace::trace
