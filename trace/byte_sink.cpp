#include "trace/byte_sink.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace gputrace::trace {

Result<ByteSink> ByteSink::create(const std::filesystem::path& path, bool overwrite) {
  auto file = UnfinishedFile::create(path, overwrite);
  if (!file) return tl::unexpected(std::move(file.error()));
  std::FILE* const stream = std::fopen(file->path().c_str(), "wb");
  if (stream == nullptr) return fail(std::string("cannot write: ") + std::strerror(errno), path.string(), "choose another place with -o");
  return ByteSink(std::move(*file), stream);
}

void ByteSink::append(std::string_view bytes) {
  if (error_ == 0 && std::fwrite(bytes.data(), 1, bytes.size(), stream_.get()) != bytes.size()) error_ = errno;
}

Result<void> ByteSink::finish() {
  if (error_ == 0 && std::fflush(stream_.get()) != 0) error_ = errno;
  stream_.reset();
  if (error_ != 0) return fail(std::string("cannot write: ") + std::strerror(error_), file_.target().string(), "free some space, or choose another place with -o");
  return file_.finish();
}

}  // namespace gputrace::trace
