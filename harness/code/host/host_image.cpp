#include "harness/code/host/host_image.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace harness {
namespace {

tl::unexpected<Error> not_understood(const char* what) {
  return fail(ErrorKind::environment, what);
}

template <class T>
T read_as(std::string_view bytes, std::size_t at) {
  T value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool is_code(const ElfSection& one) {
  return (one.flags & SHF_EXECINSTR) != 0;
}

// Sorted by address; aliases become one part.
std::vector<HostPart> parts_of(std::vector<HostPart> parts) {
  std::sort(parts.begin(), parts.end(), [](const HostPart& one, const HostPart& other) {
    return std::tie(one.start, other.end, one.names) < std::tie(other.start, one.end, other.names);
  });
  std::vector<HostPart> merged;
  for (HostPart& one : parts) {
    if (!merged.empty() && merged.back().start == one.start) {
      if (std::find(merged.back().names.begin(), merged.back().names.end(), one.names[0]) ==
          merged.back().names.end())
        merged.back().names.push_back(one.names[0]);
      continue;
    }
    merged.push_back(std::move(one));
  }
  for (HostPart& one : merged) std::sort(one.names.begin(), one.names.end());
  return merged;
}

// A function of assembly has no size: it ends where the next one begins.
void end_those_without_size(std::vector<HostPart>& functions, const HostImage& image) {
  for (std::size_t i = 0; i < functions.size(); ++i) {
    HostPart& one = functions[i];
    if (one.end > one.start) continue;
    const ElfSection* const section = image.section_at(one.start);
    one.end = section == nullptr ? one.start : section->address + section->size;
    if (i + 1 < functions.size()) one.end = std::min(one.end, functions[i + 1].start);
  }
}

void read_symbols(HostImage& image) {
  std::vector<HostPart> functions, objects;
  for (const ElfSection& table : image.sections) {
    if (table.type != SHT_SYMTAB && table.type != SHT_DYNSYM) continue;
    for (const ElfSymbol& one : elf_symbols(table, image.sections)) {
      if (one.section == SHN_UNDEF || one.section >= image.sections.size() || one.name.empty()) continue;
      const bool function = one.type == STT_FUNC || one.type == STT_GNU_IFUNC ||
                            (one.type == STT_NOTYPE && is_code(image.sections[one.section]));
      const bool object = one.type == STT_OBJECT && one.size > 0;
      if (one.value > UINT64_MAX - one.size || (!function && !object)) continue;
      if (table.type == SHT_DYNSYM) image.exports.emplace_back(one.name);
      HostPart part{one.value, one.value + one.size, {std::string(one.name)}};
      (function ? functions : objects).push_back(std::move(part));
    }
  }
  std::sort(image.exports.begin(), image.exports.end());
  image.functions = parts_of(std::move(functions));
  end_those_without_size(image.functions, image);
  image.objects = parts_of(std::move(objects));
}

HostRelocation relocation_of(const Elf64_Rela& one, const std::vector<ElfSymbol>& symbols) {
  HostRelocation found{.type = static_cast<std::uint32_t>(ELF64_R_TYPE(one.r_info)), .import = {}};
  const std::uint64_t number = ELF64_R_SYM(one.r_info);
  const ElfSymbol symbol = number < symbols.size() ? symbols[number] : ElfSymbol{};
  const auto addend = static_cast<std::uint64_t>(one.r_addend);
  switch (found.type) {
    case R_X86_64_RELATIVE:
    case R_X86_64_IRELATIVE: found.address = addend; break;
    case R_X86_64_64:
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT:
      if (number != 0 && symbol.section != SHN_UNDEF)
        found.address = symbol.value + addend;
      else
        found.import =
            one.r_addend == 0 ? std::string(symbol.name) : fmt::format("{}{:+}", symbol.name, one.r_addend);
      break;
    default: found.import = fmt::format("{} {}{:+}", found.type, symbol.name, one.r_addend); break;
  }
  if (found.address == 0 && found.import.empty()) found.import = "null";
  return found;
}

void read_relocations(HostImage& image) {
  for (const ElfSection& one : image.sections) {
    if (one.type != SHT_RELA || (one.flags & SHF_ALLOC) == 0) continue;
    std::vector<ElfSymbol> symbols;
    if (one.link < image.sections.size()) symbols = elf_symbols(image.sections[one.link], image.sections);
    for (std::size_t at = 0; at + sizeof(Elf64_Rela) <= one.bytes.size(); at += sizeof(Elf64_Rela)) {
      const auto entry = read_as<Elf64_Rela>(one.bytes, at);
      image.relocations[entry.r_offset] = relocation_of(entry, symbols);
    }
  }
}

void read_initialisers(HostImage& image) {
  for (const std::uint32_t type : {SHT_PREINIT_ARRAY, SHT_INIT_ARRAY, SHT_FINI_ARRAY})
    for (const ElfSection& one : image.sections) {
      if (one.type != type) continue;
      for (std::uint64_t at = 0; at + 8 <= one.size; at += 8)
        if (const auto found = image.relocations.find(one.address + at); found != image.relocations.end())
          image.initialisers.push_back(found->second.address);
    }
}

const HostPart* part_at(const std::vector<HostPart>& parts, std::uint64_t address) {
  auto next = std::upper_bound(parts.begin(), parts.end(), address,
                               [](std::uint64_t wanted, const HostPart& one) { return wanted < one.start; });
  if (next == parts.begin()) return nullptr;
  --next;
  return address < next->end ? &*next : nullptr;
}

}  // namespace

bool is_device_section(std::string_view section) {
  constexpr auto names =
      std::to_array<std::string_view>({".nv_fatbin", "__nv_relfatbin", ".nvFatBinSegment", "__nv_module_id"});
  return std::find(names.begin(), names.end(), section) != names.end();
}

const ElfSection* HostImage::section_at(std::uint64_t address) const {
  for (const ElfSection& one : sections)
    if ((one.flags & SHF_ALLOC) != 0 && (one.flags & SHF_TLS) == 0 && address >= one.address &&
        address - one.address < one.size)
      return &one;
  return nullptr;
}

const HostPart* HostImage::function_at(std::uint64_t address) const {
  return part_at(functions, address);
}

const HostPart* HostImage::object_at(std::uint64_t address) const {
  return part_at(objects, address);
}

std::string_view HostImage::bytes(std::uint64_t start, std::uint64_t end) const {
  const ElfSection* const section = section_at(start);
  if (section == nullptr || end <= start || start - section->address >= section->bytes.size()) return {};
  return section->bytes.substr(start - section->address, end - start);
}

Result<HostImage> read_host_image(std::span<const std::byte> bytes) {
  Result<std::vector<ElfSection>> sections = all_elf_sections(bytes, "the file");
  if (!sections) return fail(sections.error());
  const auto header =
      read_as<Elf64_Ehdr>(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), 0);
  if (header.e_machine != EM_X86_64) return not_understood("its host code is not for x86-64");
  if (header.e_type != ET_DYN) return not_understood("its host code has fixed addresses");
  HostImage image;
  image.sections = std::move(*sections);
  bool has_symbols = false;
  for (const ElfSection& one : image.sections) {
    has_symbols = has_symbols || one.type == SHT_SYMTAB;
    if (one.name == ".relr.dyn") return not_understood("it has relocations of a packed form");
  }
  if (!has_symbols) return not_understood("its host code has no symbols");
  read_symbols(image);
  read_relocations(image);
  read_initialisers(image);
  return image;
}

}  // namespace harness
