#include "harness/code/fatbin.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

namespace harness {
namespace {

constexpr std::uint32_t magic = 0xBA55ED50;
constexpr std::size_t alignment = 8;  // of containers in a section

struct ContainerHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_size;
  std::uint64_t size;  // of what follows the header
};
static_assert(sizeof(ContainerHeader) == 16);

// All versions of nvcc write this in front of an image; the rest of the header is names and options.
struct ImageHeader {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_size;
  std::uint64_t size;  // of what follows the header, with padding
  std::uint32_t packed_size;
  std::uint32_t options;
  std::uint16_t minor, major;  // of the image's format
  std::uint32_t architecture;
  std::uint32_t name_offset, name_size;
  std::uint64_t flags;
  std::uint64_t unused;
  std::uint64_t unpacked_size;
};
static_assert(sizeof(ImageHeader) == 64);

constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000;

tl::unexpected<Error> malformed(const char* what) {
  return fail(ErrorKind::environment, fmt::format("a container of device code {}", what));
}

template <class T>
bool read_at(std::span<const std::byte> bytes, std::size_t offset, T& value) {
  if (offset > bytes.size() || sizeof(T) > bytes.size() - offset) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return true;
}

ImageKind kind_of(std::uint16_t kind) {
  switch (kind) {
    case 1: return ImageKind::ptx;
    case 2: return ImageKind::cubin;
    case 8: return ImageKind::lto_ir;
    default: return ImageKind::unknown;
  }
}

Result<FatbinImage> image_of(const ImageHeader& header, std::string_view payload) {
  FatbinImage image{.kind = kind_of(header.kind), .architecture = header.architecture, .stored = payload};
  image.size = payload.size();
  // Images for link-time optimisation bear the bit of Zstandard, and are of a form of their own.
  const bool packed = (header.flags & (flag_lz4 | flag_zstd)) != 0 && image.kind != ImageKind::lto_ir;
  if (!packed) return image;
  if (header.packed_size > payload.size()) return malformed("has a compressed image that is too long");
  image.packing = (header.flags & flag_zstd) != 0 ? FatbinImage::Packing::zstd : FatbinImage::Packing::lz4;
  image.stored = payload.substr(0, header.packed_size);
  image.size = header.unpacked_size;
  return image;
}

Status add_images(std::span<const std::byte> payload, std::vector<FatbinImage>& images) {
  std::size_t at = 0;
  while (at < payload.size()) {
    ImageHeader header;
    if (!read_at(payload, at, header)) return malformed("ends within the header of an image");
    const std::size_t left = payload.size() - at;
    if (header.header_size < sizeof header || header.header_size > left ||
        header.size > left - header.header_size)
      return malformed("has an image that ends outside of it");
    const std::string_view text(reinterpret_cast<const char*>(payload.data()) + at + header.header_size,
                                header.size);
    Result<FatbinImage> image = image_of(header, text);
    if (!image) return fail(image.error());
    images.push_back(*image);
    at += header.header_size + header.size;
  }
  return {};
}

}  // namespace

Result<std::vector<FatbinImage>> fatbin_images(std::span<const std::byte> containers) {
  std::vector<FatbinImage> images;
  std::size_t at = 0;
  while (at < containers.size()) {
    ContainerHeader header;
    if (!read_at(containers, at, header) || header.magic != magic) {
      // The linker fills up with zeros.
      const std::size_t next = std::min(containers.size(), at + alignment);
      if (std::any_of(containers.begin() + static_cast<std::ptrdiff_t>(at),
                      containers.begin() + static_cast<std::ptrdiff_t>(next),
                      [](std::byte one) { return one != std::byte{0}; }))
        return malformed("does not begin as one");
      at = next;
      continue;
    }
    if (header.version != 1) return malformed("is of a version that this program does not know");
    const std::size_t left = containers.size() - at;
    if (header.header_size < sizeof header || header.header_size > left ||
        header.size > left - header.header_size)
      return malformed("ends outside of its section");
    const Status added = add_images(containers.subspan(at + header.header_size, header.size), images);
    if (!added) return fail(added.error());
    at += header.header_size + header.size;
  }
  return images;
}

namespace {

// An image with this content, not compressed, filled up to the alignment of images.
std::string plain_image(const ImageHeader& old, std::string_view rest_of_header, const std::string& content) {
  ImageHeader header = old;
  header.size = (content.size() + alignment - 1) / alignment * alignment;
  header.packed_size = 0;
  header.unpacked_size = 0;
  header.flags &= ~(flag_lz4 | flag_zstd);
  std::string image(reinterpret_cast<const char*>(&header), sizeof header);
  image += rest_of_header;
  image += content;
  image.resize(sizeof header + rest_of_header.size() + header.size, '\0');
  return image;
}

}  // namespace

Result<ReplacedContainer> replace_images(std::span<const std::byte> container, const ReplaceImage& replace) {
  ContainerHeader header;
  if (!read_at(container, 0, header) || header.magic != magic) return malformed("does not begin as one");
  if (header.version != 1) return malformed("is of a version that this program does not know");
  if (header.header_size < sizeof header || header.header_size > container.size() ||
      header.size > container.size() - header.header_size)
    return malformed("ends outside of its section");
  const std::string_view all(reinterpret_cast<const char*>(container.data()),
                             header.header_size + header.size);
  std::string images;
  for (std::size_t at = header.header_size; at < all.size();) {
    ImageHeader image;
    if (!read_at(container.first(all.size()), at, image))
      return malformed("ends within the header of an image");
    const std::size_t left = all.size() - at;
    if (image.header_size < sizeof image || image.header_size > left || image.size > left - image.header_size)
      return malformed("has an image that ends outside of it");
    const Result<FatbinImage> found = image_of(image, all.substr(at + image.header_size, image.size));
    if (!found) return fail(found.error());
    const Result<std::optional<std::string>> content = replace(*found);
    if (!content) return fail(content.error());
    if (*content)
      images +=
          plain_image(image, all.substr(at + sizeof image, image.header_size - sizeof image), **content);
    else
      images += all.substr(at, image.header_size + image.size);
    at += image.header_size + image.size;
  }
  std::string bytes(all.substr(0, header.header_size));
  const std::uint64_t size = images.size();
  std::memcpy(bytes.data() + offsetof(ContainerHeader, size), &size, sizeof size);
  return ReplacedContainer{bytes + images, all.size()};
}

Result<std::string> content_of(const FatbinImage& image) {
  if (image.packing == FatbinImage::Packing::none) return std::string(image.stored);
  if (image.size > most_content || image.size > std::numeric_limits<int>::max() ||
      image.stored.size() > std::numeric_limits<int>::max())
    return malformed("has an image that is too large");
  // Neither format packs more than this, so that a damaged header cannot ask for gigabytes.
  constexpr std::uint64_t most_packed = 20000;
  if (image.size / most_packed > image.stored.size()) return malformed("has a damaged compressed image");
  std::string content(image.size, '\0');
  if (image.packing == FatbinImage::Packing::zstd) {
    const std::size_t size =
        ZSTD_decompress(content.data(), content.size(), image.stored.data(), image.stored.size());
    if (ZSTD_isError(size) != 0 || size != content.size())
      return malformed("has a damaged image in Zstandard's format");
    return content;
  }
  const int size = LZ4_decompress_safe(image.stored.data(), content.data(),
                                       static_cast<int>(image.stored.size()), static_cast<int>(image.size));
  if (size < 0 || static_cast<std::uint64_t>(size) != image.size)
    return malformed("has a damaged image in LZ4's format");
  return content;
}

}  // namespace harness
