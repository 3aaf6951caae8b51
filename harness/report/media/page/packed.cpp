#include "harness/report/media/page/packed.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace harness::report {
namespace {

constexpr int level = 7;         // half the time of level 9 and 3 % more bytes, on pages
constexpr int raw_window = -15;  // zlib: the largest window, and no header around the data
constexpr int memory_level = 9;  // the most that it takes, for speed

}  // namespace

std::string deflated(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, raw_window, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib could not be started: out of memory");
  std::string out(deflateBound(&stream, text.size()), '\0');
  const auto at_most = [](std::size_t size) {  // zlib counts in 32 bits
    return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
  };
  std::size_t read = 0, written = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    // zlib's interface takes what it only reads as something that it might write.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data() + read));  // NOLINT
    stream.avail_in = at_most(text.size() - read);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);  // NOLINT
    stream.avail_out = at_most(out.size() - written);
    const uInt offered = stream.avail_in, room = stream.avail_out;
    status = deflate(&stream, offered == text.size() - read ? Z_FINISH : Z_NO_FLUSH);
    read += offered - stream.avail_in;
    written += room - stream.avail_out;
  }
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("zlib did not finish");
  out.resize(written);
  return out;
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(base64_size(bytes.size()));
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8U | (j < have ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) out += j <= have ? letters[group >> (18 - 6 * j) & 63U] : '=';
  }
  return out;
}

}  // namespace harness::report
