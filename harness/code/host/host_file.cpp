// Facts of a file's host code that need no graph: libraries, and one hash of all.
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "harness/base/bulk_hash.h"
#include "harness/base/text.h"
#include "harness/code/host/host_code.h"
#include "harness/code/host/host_image.h"
#include "harness/code/kernel_code.h"

namespace harness {
namespace {

// Names of symbols and folders, and where they are found: what they bind is in the relocations.
constexpr auto linker_tables =
    std::to_array<std::string_view>({".dynamic", ".dynstr", ".dynsym", ".gnu.hash", ".hash", ".gnu.version",
                                     ".gnu.version_r", ".gnu.version_d", ".interp"});

bool is_loaded(const ElfSection& one) {
  return (one.flags & SHF_ALLOC) != 0 && one.type != SHT_NOTE && !is_device_section(one.name) &&
         std::find(linker_tables.begin(), linker_tables.end(), one.name) == linker_tables.end();
}

bool relocates(const ElfSection& one) {
  return one.type == SHT_RELA || one.type == SHT_REL;
}

}  // namespace

NeededLibraries needed_libraries(std::span<const std::byte> image) {
  NeededLibraries found;
  const auto sections = elf_sections(image, "the file");
  if (!sections) return found;
  for (const ElfSection& one : *sections) {
    if (one.type != SHT_DYNAMIC || one.link >= sections->size()) continue;
    const std::string_view names = (*sections)[one.link].bytes;
    for (std::size_t at = 0; at + sizeof(Elf64_Dyn) <= one.bytes.size(); at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      std::memcpy(&entry, one.bytes.data() + at, sizeof entry);
      if (entry.d_un.d_val >= names.size()) continue;
      const std::string_view rest = names.substr(entry.d_un.d_val);
      const std::string name(rest.substr(0, rest.find('\0')));
      if (entry.d_tag == DT_NEEDED) found.names.push_back(name);
      if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH)
        for (const std::string& folder : split(name, ':')) found.folders.push_back(folder);
    }
  }
  return found;
}

Result<std::string> loaded_host_hash(std::span<const std::byte> image) {
  const auto sections = elf_sections(image, "the file");
  if (!sections) return fail(sections.error());
  std::string text;
  // Relocations of an object that is not linked are no part of what is loaded, and say what it refers to.
  for (const ElfSection& one : *sections) {
    const bool of_object = relocates(one) && one.name.find(".debug") == std::string_view::npos &&
                           one.name.find(".nv_debug") == std::string_view::npos;
    if (is_loaded(one) || of_object)
      text += fmt::format(
          "{} {}\n", one.name,
          bulk_hash(relocates(one) ? source_name(relocations_text(one, *sections)) : source_name(one.bytes)));
  }
  return bulk_hash(text);
}

}  // namespace harness
