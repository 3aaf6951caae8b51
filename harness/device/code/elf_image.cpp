#include "harness/device/code/elf_image.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <optional>

namespace harness {
namespace {

tl::unexpected<Error> malformed(const char* image, const char* what) {
  return fail(ErrorKind::environment, fmt::format("{} {}", image, what));
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

bool is_content(const Elf64_Shdr& one) {
  return one.sh_type != SHT_NULL && one.sh_type != SHT_NOBITS && one.sh_type < SHT_LOPROC;
}

// When there are more sections than fit into 16 bits, the first section's header tells their number.
template <class Wanted>
Result<std::vector<ElfSection>> sections_of(std::span<const std::byte> image, const char* what,
                                            Wanted is_wanted) {
  const auto header = read_at<Elf64_Ehdr>(image, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    return malformed(what, "is no ELF image");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return malformed(what, "is not 64-bit and little-endian");
  if (header->e_shentsize != sizeof(Elf64_Shdr))
    return malformed(what, "has section headers of another size");
  const auto first = read_at<Elf64_Shdr>(image, header->e_shoff);
  if (!first) return malformed(what, "has its section headers outside of itself");
  const std::uint64_t count = header->e_shnum != 0 ? header->e_shnum : first->sh_size;
  const std::uint64_t names_index = header->e_shstrndx == SHN_XINDEX ? first->sh_link : header->e_shstrndx;
  if (count > image.size() / sizeof(Elf64_Shdr) || names_index >= count ||
      !bytes_at(image, header->e_shoff, count * sizeof(Elf64_Shdr)))
    return malformed(what, "has more section headers than bytes");
  const auto header_of = [&](std::uint64_t index) {
    return *read_at<Elf64_Shdr>(image, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const Elf64_Shdr names_header = header_of(names_index);
  const auto names = bytes_at(image, names_header.sh_offset, names_header.sh_size);
  if (!names) return malformed(what, "has its section names outside of itself");
  std::vector<ElfSection> sections(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Elf64_Shdr one = header_of(i);
    if (!is_wanted(one)) continue;
    const auto name = text_at(*names, one.sh_name);
    const auto bytes =
        one.sh_type == SHT_NOBITS ? std::string_view() : bytes_at(image, one.sh_offset, one.sh_size);
    if (!name || !bytes) return malformed(what, "has a section outside of itself");
    sections[i] = {*name, *bytes, one.sh_type, one.sh_flags, one.sh_link, one.sh_addr, one.sh_size};
  }
  return sections;
}

}  // namespace

Result<std::vector<ElfSection>> elf_sections(std::span<const std::byte> image, const char* what) {
  return sections_of(image, what, is_content);
}

Result<std::vector<ElfSection>> all_elf_sections(std::span<const std::byte> image, const char* what) {
  return sections_of(image, what, [](const Elf64_Shdr& one) { return one.sh_type != SHT_NULL; });
}

std::vector<ElfSymbol> elf_symbols(const ElfSection& table, const std::vector<ElfSection>& sections) {
  std::vector<ElfSymbol> symbols(table.bytes.size() / sizeof(Elf64_Sym));
  const std::string_view names =
      table.link < sections.size() ? sections[table.link].bytes : std::string_view();
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    Elf64_Sym one;
    std::memcpy(&one, table.bytes.data() + i * sizeof one, sizeof one);
    symbols[i] = {text_at(names, one.st_name).value_or(""),
                  one.st_value,
                  one.st_size,
                  one.st_shndx,
                  static_cast<unsigned char>(ELF64_ST_TYPE(one.st_info)),
                  static_cast<unsigned char>(ELF64_ST_BIND(one.st_info)),
                  one.st_other};
  }
  return symbols;
}

std::string relocations_text(const ElfSection& relocations, const std::vector<ElfSection>& sections) {
  const auto bytes_of = [](const ElfSection& one) {
    return std::span(reinterpret_cast<const std::byte*>(one.bytes.data()), one.bytes.size());
  };
  const bool with_addend = relocations.type == SHT_RELA;
  const std::size_t size = with_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  std::string text;
  for (std::size_t at = 0; at + size <= relocations.bytes.size(); at += size) {
    Elf64_Rela one{};
    std::memcpy(&one, relocations.bytes.data() + at, size);
    std::string_view name = "?";
    Elf64_Sym symbol{};
    if (relocations.link < sections.size()) {
      const ElfSection& symbols = sections[relocations.link];
      if (const auto found =
              read_at<Elf64_Sym>(bytes_of(symbols), ELF64_R_SYM(one.r_info) * sizeof(Elf64_Sym)))
        symbol = *found;
      if (symbols.link < sections.size())
        name = text_at(sections[symbols.link].bytes, symbol.st_name).value_or(name);
    }
    text += fmt::format("{} {} {} {} {}\n", one.r_offset, ELF64_R_TYPE(one.r_info), name, symbol.st_value,
                        one.r_addend);
  }
  return text;
}

}  // namespace harness
