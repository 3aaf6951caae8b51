#include "harness/device/cpu/object_code.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "harness/base/bulk_hash.h"
#include "harness/base/environment.h"
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

// The values of the variables that an object may read. The C and C++ libraries name many that no kernel's
// time depends on, such as PATH.
Result<std::string> variables_text(const link_map& object) {
  constexpr auto of_everybody =
      std::to_array<std::string_view>({"libc.so", "ld-linux", "libm.so", "libstdc++.so", "libgcc_s.so",
                                       "libpthread.so", "libdl.so", "librt.so"});
  const std::string file = file_of(object);
  const std::string name = std::filesystem::path(file).filename();
  for (const std::string_view one : of_everybody)
    if (name.starts_with(one)) return std::string();
  if (file == this_program().string()) return std::string();  // its variables are the harness's
  const Result<std::string> text = read_file(file, largest_file);
  if (!text) return fail(text.error());
  std::string found;
  for (const auto& [variable, value] : variables_named_in(
           std::as_bytes(std::span(text->data(), text->size())), environment::seen_by_workers()))
    found += fmt::format("{}={}\n", variable, value);
  return found;
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
    const link_map& library = *loaded(object, name);
    const Result<std::string> code = file_hash(file_of(library));
    if (!code) return fail(code.error());
    const Result<std::string> variables = variables_text(library);
    if (!variables) return fail(variables.error());
    text += fmt::format("{} {}\n{}", name, *code, *variables);
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

std::map<std::string, std::string> variables_named_in(std::span<const std::byte> image,
                                                      std::map<std::string, std::string> variables) {
  const Result<std::vector<ElfSection>> sections = elf_sections(image, "the file");
  if (!sections) return {};
  const auto holds = [&](const std::string& name) {
    const std::string ended = name + '\0';
    return std::any_of(sections->begin(), sections->end(), [&](const ElfSection& one) {
      if (!one.name.starts_with(".rodata")) return false;
      return one.bytes.find(ended) != std::string_view::npos;  // linkers join a text with the end of another
    });
  };
  std::erase_if(variables, [&](const auto& one) { return !holds(one.first); });
  return variables;
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
  const Result<std::string> variables = variables_text(map);
  if (!variables) return fail(variables.error());
  return content_hash(*own + "\n" + *libraries + *variables);
}

}  // namespace harness
