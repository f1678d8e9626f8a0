#include "trace/trace_reader.h"

#include <algorithm>
#include <string>

#include "trace/file_sniffer.h"
#include "trace/importer.h"

namespace gputrace::trace {
namespace {

struct FileState {
  std::uintmax_t size_bytes = 0;
  std::filesystem::file_time_type changed_at;
  bool operator==(const FileState&) const = default;
};

FileState state_of(const std::filesystem::path& path) {
  std::error_code error;
  return {std::filesystem::file_size(path, error), std::filesystem::last_write_time(path, error)};
}

std::size_t digits_at(const std::string& text, std::size_t at) {
  std::size_t count = 0;
  while (at + count < text.size() && text[at + count] >= '0' && text[at + count] <= '9') ++count;
  return count;
}

// rank2 before rank10.
bool natural_order(const std::string& a, const std::string& b) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::size_t a_digits = digits_at(a, i), b_digits = digits_at(b, j);
    if (a_digits == 0 || b_digits == 0) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    if (a_digits != b_digits) return a_digits < b_digits;
    if (const int order = a.compare(i, a_digits, b, j, b_digits); order != 0) return order < 0;
    i += a_digits, j += b_digits;
  }
  return a.size() < b.size();
}

const Importer* importer_for(const SniffedFile& file) {
  const Importer* general = nullptr;
  for (const Importer* importer : all_importers()) {
    if (!importer->recognizes(file)) continue;
    if (importer->preference == Importer::Preference::dialect) return importer;
    if (general == nullptr) general = importer;
  }
  return general;
}

}  // namespace

Result<std::vector<std::filesystem::path>> traces_in_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  std::optional<Error> table_file;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code is_no_file;
    if (!entry->is_regular_file(is_no_file)) continue;
    const Result<SniffedFile> file = sniff_file(entry->path());
    if (file && importer_for(*file) != nullptr) files.push_back(entry->path());
    else if (file && !table_file) table_file = explain_table_file(*file);
  }
  if (error) return fail("cannot read the folder: " + error.message(), folder.string());
  if (files.empty() && table_file) return tl::unexpected(*table_file);
  if (files.empty()) return fail("a folder without a trace", folder.string(), "give a trace, or the folder that holds those of one job");
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return natural_order(a.filename().string(), b.filename().string()); });
  return files;
}

Result<Trace> read_trace(const std::filesystem::path& path, const ReadOptions& options) {
  const FileState before = state_of(path);
  const Result<SniffedFile> file = sniff_file(path);
  if (!file) return tl::unexpected(file.error());
  const Importer* importer = importer_for(*file);
  if (importer == nullptr) return tl::unexpected(explain_unknown_file(*file));
  Result<Trace> trace = importer->read(*file, options);
  // Files are read as immutable, so a writer at work would show up as damage or, worse, as wrong rows.
  if (state_of(path) != before) {
    return fail("the file changed while it was read", path.string(), "try again when its writer has ended");
  }
  if (trace && options.progress) options.progress(1.0);
  return trace;
}

}  // namespace gputrace::trace
