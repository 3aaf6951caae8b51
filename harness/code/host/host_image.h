// The addresses of a linked program or shared object: sections, symbols, relocations. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/code/elf_image.h"

namespace harness {

// A function or an object, at [start, end).
struct HostPart {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::vector<std::string> names;  // aliases, in order
};

// The value that the dynamic linker writes to a place.
struct HostRelocation {
  std::uint32_t type = 0;     // R_X86_64_...
  std::uint64_t address = 0;  // in this image, where there is no import
  std::string import = {};    // a symbol of a library, or what else the value is, as a text
};

struct HostImage {
  std::vector<ElfSection> sections;
  std::vector<HostPart> functions;  // by address
  std::vector<HostPart> objects;    // likewise
  std::map<std::uint64_t, HostRelocation> relocations;
  std::vector<std::string> exports;         // names of defined dynamic symbols, sorted
  std::vector<std::uint64_t> initialisers;  // addresses of functions, in order; then those of the end

  [[nodiscard]] const ElfSection* section_at(std::uint64_t address) const;
  [[nodiscard]] const HostPart* function_at(std::uint64_t address) const;
  [[nodiscard]] const HostPart* object_at(std::uint64_t address) const;
  // The bytes of [start, end), which lies in one section. Empty where it has none.
  [[nodiscard]] std::string_view bytes(std::uint64_t start, std::uint64_t end) const;
};

// An error says what is not understood: no x86-64, no symbols, addresses that are fixed at link time.
Result<HostImage> read_host_image(std::span<const std::byte> image);

bool is_device_section(std::string_view section);

}  // namespace harness
