#include "harness/catalog/apart.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>

#include "harness/base/files.h"
#include "harness/base/text.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t largest_library = std::size_t{2} << 30;
constexpr const char* advice = "measured in processes of their own instead";

// Names of the C++ library and of the compiler, which mean the same in every build.
bool of_the_language(std::string_view symbol) {
  for (const std::string_view prefix :
       {"_ZNSt", "_ZNKSt", "_ZSt", "_ZGVNSt", "_ZGVZNSt", "_ZGVZNKSt", "_ZZNSt", "_ZZNKSt", "_ZZSt", "_ZTSSt",
        "_ZTISt", "_ZN9__gnu_cxx", "_ZZN9__gnu_cxx"})
    if (symbol.starts_with(prefix)) return true;
  return false;
}

// Copies a struct out of a file that may end anywhere.
template <class T>
bool copy_at(std::string_view file, std::size_t offset, T& to) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return false;
  std::memcpy(&to, file.data() + offset, sizeof(T));
  return true;
}

std::string_view text_at(std::string_view file, const ElfW(Shdr) & strings, std::size_t index) {
  const std::size_t begin = strings.sh_offset + index;
  if (index >= strings.sh_size || begin >= file.size()) return {};
  const std::string_view rest = file.substr(begin, strings.sh_size - index);
  return rest.substr(0, rest.find('\0'));
}

// The sections of an ELF file of this machine's kind.
class Sections {
 public:
  explicit Sections(std::string_view file) : file_(file) {
    const bool known = copy_at(file, 0, header_) && std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 &&
                       header_.e_ident[EI_CLASS] == (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32);
    if (!known) header_.e_shnum = 0;
  }

  // Calls visit(entry, strings) for each entry of the sections of this type. A damaged file has fewer.
  template <class Entry, class Visit>
  void each(ElfW(Word) type, const Visit& visit) const {
    for (std::size_t i = 0; i < header_.e_shnum; ++i) {
      ElfW(Shdr) entries, strings;
      if (!section(i, entries) || entries.sh_type != type || !section(entries.sh_link, strings)) continue;
      Entry entry;
      for (std::size_t at = 0; at + sizeof entry <= entries.sh_size; at += sizeof entry) {
        if (!copy_at(file_, entries.sh_offset + at, entry)) break;
        visit(entry, strings);
      }
    }
  }

 private:
  bool section(std::size_t index, ElfW(Shdr) & into) const {
    return copy_at(file_, header_.e_shoff + index * sizeof(ElfW(Shdr)), into);
  }

  std::string_view file_;
  ElfW(Ehdr) header_ = {};
};

// The names of this tag in the dynamic section: DT_NEEDED, DT_SONAME.
std::set<std::string> dynamic_names(const fs::path& library, ElfW(Sxword) tag) {
  std::set<std::string> names;
  const Result<std::string> text = read_file(library, largest_library);
  if (!text) return names;
  Sections(*text).each<ElfW(Dyn)>(SHT_DYNAMIC, [&](const ElfW(Dyn) & entry, const ElfW(Shdr) & strings) {
    if (entry.d_tag == tag) names.emplace(text_at(*text, strings, entry.d_un.d_val));
  });
  return names;
}

fs::path real(const fs::path& path) {
  std::error_code code;
  fs::path resolved = fs::canonical(path, code);
  return code ? path : resolved;
}

bool lies_below(const fs::path& path, const std::string& root) {
  if (root.empty()) return false;
  const fs::path relative = path.lexically_relative(real(root));
  return !relative.empty() && *relative.begin() != "..";
}

std::set<fs::path> real_paths(const std::vector<std::string>& paths) {
  std::set<fs::path> all;
  for (const std::string& path : paths) all.insert(real(path));
  return all;
}

std::set<std::string> symbols_of(const LoadedBuild& build) {
  std::set<std::string> all;
  for (const std::string& module : build.modules)
    for (std::string& symbol : unique_symbols(module))
      if (!of_the_language(symbol)) all.insert(std::move(symbol));
  return all;
}

// Whether a file below `root` is the same in `other`, at the same place.
bool is_in_both(const fs::path& path, const std::string& root, const std::string& other) {
  const fs::path twin = real(other) / path.lexically_relative(real(root));
  const Result<std::string> text = read_file(path, largest_library), its = read_file(twin, largest_library);
  return text && its && *text == *its;
}

}  // namespace

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        if (info->dlpi_name != nullptr && *info->dlpi_name != '\0')
          static_cast<std::vector<std::string>*>(into)->emplace_back(info->dlpi_name);
        return 0;
      },
      &names);
  return names;
}

std::vector<std::string> unique_symbols(const fs::path& library) {
  const Result<std::string> text = read_file(library, largest_library);
  if (!text) return {};
  std::vector<std::string> found;
  Sections(*text).each<ElfW(Sym)>(SHT_DYNSYM, [&](const ElfW(Sym) & symbol, const ElfW(Shdr) & strings) {
    if (symbol.st_info >> 4 == STB_GNU_UNIQUE && symbol.st_shndx != SHN_UNDEF)
      found.emplace_back(text_at(*text, strings, symbol.st_name));
  });
  std::sort(found.begin(), found.end());
  return found;
}

Status check_apart(const LoadedBuild& one, const LoadedBuild& other,
                   const std::vector<std::string>& of_program) {
  const std::set<fs::path> first = real_paths(one.modules), second = real_paths(other.modules);
  for (const fs::path& path : first)
    if (second.contains(path))
      return fail(ErrorKind::usage, Location{path.string()}, "is a module of both builds", advice);
  const std::set<fs::path> programs = real_paths(of_program);
  std::set<std::string> needed;
  for (const std::set<fs::path>& modules : {first, second})
    for (const fs::path& module : modules) needed.merge(dynamic_names(module, DT_NEEDED));
  // By its name, the loader would give it to them in the place of their own.
  const auto is_needed = [&](const fs::path& path) {
    std::set<std::string> names = dynamic_names(path, DT_SONAME);
    names.insert(path.filename().string());
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& one) { return needed.contains(one); });
  };
  const auto is_shared = [&](const fs::path& path, const std::string& root, const std::string& another) {
    return lies_below(path, root) &&
           !(programs.contains(path) && (!is_needed(path) || is_in_both(path, root, another)));
  };
  for (const std::string& name : loaded_libraries()) {
    const fs::path path = real(name);
    if (first.contains(path) || second.contains(path)) continue;
    if (is_shared(path, one.root, other.root) || is_shared(path, other.root, one.root))
      return fail(
          ErrorKind::usage, Location{path.string()},
          "is a library that both builds would share, because it is loaded once by its name",
          fmt::format("{}; until then {}",
                      programs.contains(path) ? "make both builds with the same one, because the program "
                                                "itself needs it"
                                              : "link it into the module statically",
                      advice));
  }
  const std::set<std::string> theirs = symbols_of(other);
  for (const std::string& symbol : symbols_of(one))
    if (theirs.contains(symbol))
      return fail(
          ErrorKind::usage,
          fmt::format("both builds would share `{}`, which exists once in a process", printable(symbol)),
          fmt::format("compile modules with -fvisibility=hidden or -fno-gnu-unique; until then {}", advice));
  return {};
}

}  // namespace harness
