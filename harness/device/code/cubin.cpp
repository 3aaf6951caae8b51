#include "harness/device/code/cubin.h"

#include <elf.h>

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/files.h"

namespace harness {
namespace {

constexpr std::string_view code_prefix = ".text.";
constexpr std::string_view constant_prefix = ".nv.constant";

tl::unexpected<Error> malformed(const char* what) {
  return fail(ErrorKind::environment, std::string("a cubin ") + what);
}

// `count` bytes at `offset`, or nothing when they are not all in the image.
std::optional<std::string_view> bytes_at(std::span<const std::byte> image, std::uint64_t offset,
                                         std::uint64_t count) {
  if (offset > image.size() || count > image.size() - offset) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(image.data()) + offset, count);
}

template <class T>
std::optional<T> read_at(std::span<const std::byte> image, std::uint64_t offset) {
  const auto bytes = bytes_at(image, offset, sizeof(T));
  if (!bytes) return std::nullopt;
  T value;
  std::memcpy(&value, bytes->data(), sizeof(T));  // an image need not be aligned
  return value;
}

// The text from `offset` to the next zero.
std::optional<std::string_view> text_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return std::nullopt;
  const std::size_t end = table.find('\0', offset);
  if (end == std::string_view::npos) return std::nullopt;
  return table.substr(offset, end - offset);
}

struct Section {
  std::string_view name;
  std::string_view bytes;
};

// When there are more sections than fit into 16 bits, the first section's header tells their number.
Result<std::vector<Section>> sections_of(std::span<const std::byte> image) {
  const auto header = read_at<Elf64_Ehdr>(image, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return malformed("is no ELF image");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return malformed("is not 64-bit and little-endian");
  if (header->e_shentsize != sizeof(Elf64_Shdr)) return malformed("has section headers of another size");
  const auto first = read_at<Elf64_Shdr>(image, header->e_shoff);
  if (!first) return malformed("has its section headers outside of itself");
  const std::uint64_t count = header->e_shnum != 0 ? header->e_shnum : first->sh_size;
  const std::uint64_t names_index = header->e_shstrndx == SHN_XINDEX ? first->sh_link : header->e_shstrndx;
  if (count > image.size() / sizeof(Elf64_Shdr) || names_index >= count ||
      !bytes_at(image, header->e_shoff, count * sizeof(Elf64_Shdr)))
    return malformed("has more section headers than bytes");
  const auto header_of = [&](std::uint64_t index) {
    return *read_at<Elf64_Shdr>(image, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const Elf64_Shdr names_header = header_of(names_index);
  const auto names = bytes_at(image, names_header.sh_offset, names_header.sh_size);
  if (!names) return malformed("has its section names outside of itself");
  std::vector<Section> sections;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Elf64_Shdr one = header_of(i);
    if (one.sh_type != SHT_PROGBITS) continue;
    const auto name = text_at(*names, one.sh_name);
    const auto bytes = bytes_at(image, one.sh_offset, one.sh_size);
    if (!name || !bytes) return malformed("has a section outside of itself");
    sections.push_back({*name, *bytes});
  }
  return sections;
}

// The kernel of a section of constants, except launch parameters: ".nv.constant2.NAME" -> "NAME".
std::optional<std::string_view> owner_of_constants(std::string_view section) {
  if (!section.starts_with(constant_prefix)) return std::nullopt;
  section.remove_prefix(constant_prefix.size());
  const std::size_t dot = section.find('.');
  if (dot == std::string_view::npos || section.substr(0, dot) == "0") return std::nullopt;
  return section.substr(dot + 1);
}

}  // namespace

Result<CodeHashes> code_hashes(std::span<const std::byte> image) {
  const Result<std::vector<Section>> sections = sections_of(image);
  if (!sections) return fail(sections.error());
  CodeHashes code;  // bytes first, hashes then
  for (const Section& one : *sections)
    if (one.name.starts_with(code_prefix) && one.name.size() > code_prefix.size())
      code[std::string(one.name.substr(code_prefix.size()))] = std::string(one.bytes);
  for (const Section& one : *sections)
    if (const auto owner = owner_of_constants(one.name))
      if (const auto found = code.find(*owner); found != code.end()) found->second += one.bytes;
  for (auto& [name, bytes] : code) bytes = content_hash(bytes);
  return code;
}

}  // namespace harness
