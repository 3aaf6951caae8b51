#include "harness/store/adapters/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "harness/base/files.h"

namespace harness {

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

Result<std::string> gunzip(std::string_view bytes, const std::string& file) {
  constexpr int gzip_window = 15 + 16;  // zlib: the largest window, with the header of gzip
  const auto refuse = [&](const char* message) { return fail(ErrorKind::usage, Location{file}, message); };
  z_stream stream{};
  if (inflateInit2(&stream, gzip_window) != Z_OK) return refuse("cannot be unpacked: out of memory");
  std::string text;
  std::array<char, 1 << 16> piece{};
  int status = Z_OK;
  std::size_t read = 0;
  bool large = false;
  while (!large && (status == Z_OK || (status == Z_STREAM_END && read < bytes.size()))) {
    if (status == Z_STREAM_END) inflateReset(&stream);  // gzip files can be joined
    const auto offered =
        static_cast<uInt>(std::min<std::size_t>(bytes.size() - read, std::numeric_limits<uInt>::max()));
    // zlib's interface takes what it only reads as something that it might write.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + read));  // NOLINT
    stream.avail_in = offered;
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&stream, Z_NO_FLUSH);
    read += offered - stream.avail_in;
    text.append(piece.data(), piece.size() - stream.avail_out);
    large = text.size() > default_file_limit;
  }
  inflateEnd(&stream);
  if (large) return refuse("unpacks to more than 4 GiB");
  if (status != Z_STREAM_END) return refuse("cannot be unpacked: it is cut off or damaged");
  return text;
}

}  // namespace harness
