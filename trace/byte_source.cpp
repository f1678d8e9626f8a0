#include "trace/byte_source.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

namespace gputrace::trace {

struct ByteSource::Impl {
  std::ifstream file;
  bool is_gzip = false, is_cut_off = false, is_at_end = false;
  bool is_between_members = true;  // where a gzip file may end
  std::uintmax_t file_bytes_read = 0;
  std::vector<char> compressed = std::vector<char>(256 * 1024);
  z_stream stream{};

  ~Impl() {
    if (is_gzip) inflateEnd(&stream);
  }

  std::size_t read_file(std::span<char> out) {
    file.read(out.data(), static_cast<std::streamsize>(out.size()));
    const auto bytes = static_cast<std::size_t>(file.gcount());
    file_bytes_read += bytes;
    return bytes;
  }

  // False: no more input.
  bool refill() {
    const std::size_t bytes = read_file(compressed);
    stream.next_in = reinterpret_cast<Bytef*>(compressed.data());
    stream.avail_in = static_cast<uInt>(bytes);
    return bytes > 0;
  }

  std::size_t inflate_into(std::span<char> out) {
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    while (stream.avail_out > 0 && !is_at_end) {
      if (stream.avail_in == 0 && !refill()) {
        is_at_end = true;
        is_cut_off = !is_between_members;
        break;
      }
      const int status = inflate(&stream, Z_NO_FLUSH);
      is_between_members = status == Z_STREAM_END;
      if (status == Z_STREAM_END)
        inflateReset(&stream);  // several gzip members in a row are one content
      else if (status != Z_OK)
        is_at_end = is_cut_off = true;
    }
    return out.size() - stream.avail_out;
  }
};

ByteSource::ByteSource(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

Result<ByteSource> ByteSource::open(const std::filesystem::path& path, bool is_gzip) {
  auto impl = std::make_unique<Impl>();
  impl->file.open(path, std::ios::binary);
  if (!impl->file) return fail(fmt::format("cannot read: {}", std::strerror(errno)), path.string());
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (is_gzip && inflateInit2(&impl->stream, kGzipOnly) != Z_OK) return fail("out of memory", path.string());
  impl->is_gzip = is_gzip;
  return ByteSource(std::move(impl));
}

std::size_t ByteSource::read(std::span<char> out) {
  return impl_->is_gzip ? impl_->inflate_into(out) : impl_->read_file(out);
}
bool ByteSource::is_cut_off() const { return impl_->is_cut_off; }
std::uintmax_t ByteSource::file_bytes_read() const { return impl_->file_bytes_read; }

}  // namespace gputrace::trace
