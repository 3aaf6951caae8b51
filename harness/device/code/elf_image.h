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
};

// By their numbers. An error says why the bytes are no 64-bit little-endian ELF image: "a cubin is no ELF
// image" where `what` is "a cubin".
Result<std::vector<ElfSection>> elf_sections(std::span<const std::byte> image, const char* what);

// The relocations of a section SHT_REL or SHT_RELA, a line each, with the names of symbols: their numbers
// change with their neighbours.
std::string relocations_text(const ElfSection& relocations, const std::vector<ElfSection>& sections);

}  // namespace harness
