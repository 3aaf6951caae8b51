// ELF images, the files of machine code: their sections, and where these refer to which symbols. The bytes
// may be anything, so every offset is checked. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace harness {

// Points into the image, which must live as long. All is empty where the section has no bytes in the image,
// or is of a processor's own type.
struct ElfSection {
  std::string_view name;
  std::string_view bytes;
  std::uint32_t type = 0;   // SHT_...
  std::uint64_t flags = 0;  // SHF_...
  std::uint32_t link = 0;   // the section of symbols, of relocations; the names, of symbols
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // in memory
};

// By their numbers. An error says why the bytes are no 64-bit little-endian ELF image: "a cubin is no ELF
// image" where `what` is "a cubin".
Result<std::vector<ElfSection>> elf_sections(std::span<const std::byte> image, const char* what);
// The same with sections of a processor's own types, and those that have only a size.
Result<std::vector<ElfSection>> all_elf_sections(std::span<const std::byte> image, const char* what);

struct ElfSymbol {
  std::string_view name;
  std::uint64_t value = 0;
  std::uint64_t size = 0;
  std::uint32_t section = 0;  // SHN_...
  unsigned char type = 0;     // STT_...
  unsigned char bind = 0;     // STB_...
  unsigned char other = 0;    // st_other
};

// The entries of a section SHT_SYMTAB or SHT_DYNSYM, by their numbers.
std::vector<ElfSymbol> elf_symbols(const ElfSection& table, const std::vector<ElfSection>& sections);

// The relocations of a section SHT_REL or SHT_RELA, a line each, with the names of symbols: their numbers
// change with their neighbours.
std::string relocations_text(const ElfSection& relocations, const std::vector<ElfSection>& sections);

}  // namespace harness
