// Fatbins: the containers of device code that nvcc puts into objects and programs (sections .nv_fatbin and
// __nv_relfatbin), each with one image an architecture. The layout is not documented; README.md says which
// containers it was read from. The bytes may be anything, so every offset is checked. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace harness {

enum class ImageKind {
  ptx,      // text, which a driver compiles
  cubin,    // machine code
  lto_ir,   // what a linker compiles
  unknown,  // of a toolkit that this program has not heard of
};

// One image of a container. Points into the container, which must live as long.
struct FatbinImage {
  ImageKind kind = ImageKind::unknown;
  std::uint32_t architecture = 0;  // 90
  std::string_view stored;         // as it stands there, perhaps compressed
  enum class Packing { none, lz4, zstd };
  Packing packing = Packing::none;
  std::uint64_t size = 0;  // of the content
};

// The images of the containers that stand one after the other in a section or a file. An error says why it
// is not that.
Result<std::vector<FatbinImage>> fatbin_images(std::span<const std::byte> containers);

// The bytes of an image. An error for damaged ones, and for more than `most_content`.
inline constexpr std::uint64_t most_content = std::uint64_t{1} << 31;
Result<std::string> content_of(const FatbinImage& image);

// The first container of the bytes, with other content for the images that `replace` gives some for. That is
// stored without compression; all other images stay as they are. An error of `replace` is that of all.
struct ReplacedContainer {
  std::string bytes;
  std::size_t old_size = 0;  // how many of the bytes the container had
};
using ReplaceImage = std::function<Result<std::optional<std::string>>(const FatbinImage&)>;
Result<ReplacedContainer> replace_images(std::span<const std::byte> container, const ReplaceImage& replace);

}  // namespace harness
