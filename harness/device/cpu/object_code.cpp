#include "harness/device/cpu/object_code.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "harness/base/bulk_hash.h"
#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/device/code/elf_image.h"

namespace harness {
namespace {

constexpr std::size_t largest_file = std::size_t{1} << 30;

// Names of symbols and folders, and where they are found: what they bind is in the relocations.
constexpr auto linker_tables =
    std::to_array<std::string_view>({".dynamic", ".dynstr", ".dynsym", ".gnu.hash", ".hash", ".gnu.version",
                                     ".gnu.version_r", ".gnu.version_d", ".interp"});

bool counts(const ElfSection& one) {
  return (one.flags & SHF_ALLOC) != 0 && one.type != SHT_NOTE &&
         std::find(linker_tables.begin(), linker_tables.end(), one.name) == linker_tables.end();
}

std::string file_of(const link_map& object) {
  return object.l_name == nullptr || *object.l_name == '\0' ? this_program().string() : object.l_name;
}

Result<std::string> file_hash(const std::string& file) {
  const Result<std::string> text = read_file(file, largest_file);
  if (!text) return fail(text.error());
  return loaded_sections_hash(std::as_bytes(std::span(text->data(), text->size())));
}

// The names of the libraries that an object needs.
std::vector<std::string> needed_by(const link_map& object) {
  const char* names = nullptr;
  for (const ElfW(Dyn)* one = object.l_ld; one->d_tag != DT_NULL; ++one)
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader keeps addresses as numbers
    if (one->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(one->d_un.d_ptr);
  std::vector<std::string> needed;
  for (const ElfW(Dyn)* one = object.l_ld; names != nullptr && one->d_tag != DT_NULL; ++one)
    if (one->d_tag == DT_NEEDED) needed.emplace_back(names + one->d_un.d_val);
  return needed;
}

// Among all that this process has loaded.
const link_map* loaded(const link_map& any, const std::string& name) {
  const link_map* first = &any;
  while (first->l_prev != nullptr) first = first->l_prev;
  for (const link_map* one = first; one != nullptr; one = one->l_next)
    if (std::filesystem::path(one->l_name).filename() == std::filesystem::path(name).filename()) return one;
  return nullptr;
}

struct BuildIdSought {
  const link_map& object;
  std::string found;
};

// Reads the notes of one loaded object.
int read_build_id(dl_phdr_info* info, std::size_t, void* data) {
  auto& sought = *static_cast<BuildIdSought*>(data);
  if (info->dlpi_addr != sought.object.l_addr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): likewise
    const auto* at = reinterpret_cast<const std::byte*>(info->dlpi_addr + header.p_vaddr);
    const std::byte* const end = at + header.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(at);
      const auto padded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
      const std::byte* const id = at + sizeof note + padded(note.n_namesz);
      if (note.n_type == NT_GNU_BUILD_ID)
        for (std::size_t byte = 0; byte < note.n_descsz; ++byte)
          sought.found += fmt::format("{:02x}", std::to_integer<int>(id[byte]));
      at = id + padded(note.n_descsz);
    }
  }
  return 1;
}

// Its build id; without one, the hash of its file.
Result<std::string> identity_of_library(const link_map& object) {
  BuildIdSought sought{object, {}};
  dl_iterate_phdr(read_build_id, &sought);
  if (!sought.found.empty()) return sought.found;
  return file_hash(file_of(object));
}

// The libraries that an object needs, and those that these need, each once, with their identities.
Result<std::string> libraries_text(const link_map& object) {
  std::set<std::string> seen;
  std::vector<const link_map*> open{&object};
  std::string text;
  while (!open.empty()) {
    const link_map* one = open.back();
    open.pop_back();
    for (const std::string& name : needed_by(*one)) {
      if (!seen.insert(name).second) continue;
      const link_map* library = loaded(object, name);
      if (library == nullptr) return fail(ErrorKind::environment, fmt::format("{} is not loaded", name));
      open.push_back(library);
    }
  }
  for (const std::string& name : seen) {
    const Result<std::string> identity = identity_of_library(*loaded(object, name));
    if (!identity) return fail(identity.error());
    text += fmt::format("{} {}\n", name, *identity);
  }
  return text;
}

}  // namespace

const void* object_of(const void* address) {
  Dl_info where{};
  return dladdr(address, &where) != 0 ? where.dli_fbase : nullptr;
}

Result<std::string> loaded_sections_hash(std::span<const std::byte> image) {
  const Result<std::vector<ElfSection>> sections = elf_sections(image, "the file");
  if (!sections) return fail(sections.error());
  std::string text;
  for (const ElfSection& one : *sections) {
    if (!counts(one)) continue;
    const bool relocates = one.type == SHT_RELA || one.type == SHT_REL;
    text += fmt::format("{} {}\n", one.name,
                        relocates ? bulk_hash(relocations_text(one, *sections)) : bulk_hash(one.bytes));
  }
  return content_hash(text);
}

Result<std::string> object_code_hash(const void* address) {
  Dl_info where{};
  void* object = nullptr;
  if (dladdr1(address, &where, &object, RTLD_DL_LINKMAP) == 0 || object == nullptr)
    return fail(ErrorKind::environment, "no loaded file holds the variant");
  const auto& map = *static_cast<const link_map*>(object);
  const Result<std::string> own = file_hash(file_of(map));
  if (!own) return fail(own.error());
  const Result<std::string> libraries = libraries_text(map);
  if (!libraries) return fail(libraries.error());
  return content_hash(*own + "\n" + *libraries);
}

}  // namespace harness
