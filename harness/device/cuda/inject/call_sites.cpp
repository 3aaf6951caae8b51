#include "harness/device/cuda/inject/call_sites.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "harness/base/files.h"
#include "harness/device/cuda/inject/python_lines.h"

namespace harness::inject {
namespace {

constexpr std::size_t most_frames = 64;
constexpr std::size_t longest_name = 160;
constexpr std::size_t most_file_bytes = std::size_t{64} << 20;  // whose table of symbols is read

struct Frames {
  std::array<std::uintptr_t, most_frames> at{};
  std::size_t count = 0;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* to) {
  auto& frames = *static_cast<Frames*>(to);
  if (frames.count == frames.at.size()) return _URC_END_OF_STACK;
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (address == 0) return _URC_END_OF_STACK;
  frames.at[frames.count++] = address - 1;  // in the call, not behind it
  return _URC_NO_REASON;
}

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_of_cuda(std::string_view file) {
  constexpr std::array<std::string_view, 4> names{"libcuda.so", "libcudart", "libcupti.so",
                                                  "libcudadebugger"};
  return std::any_of(names.begin(), names.end(), [&](auto name) { return file.starts_with(name); });
}

// Functions between the program's own and the driver: the runtime, which may be a part of the program, and
// stubs that nvcc makes.
bool is_between(std::string_view mangled, std::string_view kernel) {
  if (mangled == kernel && !kernel.empty()) return true;
  for (const std::string_view part : {"cudaLaunch", "__cudart", "cudaGraphLaunch", "cudart", "device_stub",
                                      "cuLaunch", "cuGraphLaunch", "libcudart_static"})
    if (mangled.find(part) != std::string_view::npos) return true;
  return false;
}

// Without arguments: "at::native::fill".
std::string readable(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  std::string name = status == 0 && text ? text.get() : mangled;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0 && i > 0 && !name.substr(i).starts_with("(anonymous")) {
      name.resize(i);
      break;
    }
  }
  if (name.size() > longest_name) name = name.substr(0, longest_name) + "...";
  return name;
}

template <class Entry>
const Entry* entries_at(std::string_view bytes, std::uint64_t offset, std::uint64_t count) {
  if (offset > bytes.size() || count > (bytes.size() - offset) / sizeof(Entry)) return nullptr;
  return reinterpret_cast<const Entry*>(bytes.data() + offset);
}

}  // namespace

// Functions that a file does not export are in the table that linkers leave for debuggers.
const CallSites::Symbols& CallSites::symbols_of(const std::string& file) {
  const std::lock_guard lock(files_mutex_);  // calls nothing that takes the linker's
  const auto [known, fresh] = symbols_.try_emplace(file);
  if (!fresh) return known->second;
  std::error_code code;
  if (const auto size = std::filesystem::file_size(file, code); code || size > most_file_bytes)
    return known->second;
  const Result<std::string> bytes = read_file(file);
  if (!bytes) return known->second;
  const auto* header = entries_at<Elf64_Ehdr>(*bytes, 0, 1);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return known->second;
  const auto* sections = entries_at<Elf64_Shdr>(*bytes, header->e_shoff, header->e_shnum);
  for (std::size_t i = 0; sections != nullptr && i < header->e_shnum; ++i) {
    const Elf64_Shdr& table = sections[i];
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum) continue;
    const Elf64_Shdr& names = sections[table.sh_link];
    const std::uint64_t count = table.sh_size / sizeof(Elf64_Sym);
    const auto* symbols = entries_at<Elf64_Sym>(*bytes, table.sh_offset, count);
    const auto* texts = entries_at<char>(*bytes, names.sh_offset, names.sh_size);
    for (std::uint64_t k = 0; symbols != nullptr && texts != nullptr && k < count; ++k) {
      const Elf64_Sym& one = symbols[k];
      if (ELF64_ST_TYPE(one.st_info) != STT_FUNC || one.st_size == 0 || one.st_name >= names.sh_size)
        continue;
      const char* name = texts + one.st_name;
      known->second.push_back(
          {one.st_value, one.st_value + one.st_size, {name, strnlen(name, names.sh_size - one.st_name)}});
    }
  }
  std::sort(known->second.begin(), known->second.end(),
            [](const Symbol& one, const Symbol& other) { return one.begin < other.begin; });
  return known->second;
}

// Nothing for a function that is no site.
std::optional<HostFunction> CallSites::function_at(std::uintptr_t address, std::string_view kernel) {
  Dl_info info{}, own{};
  void* entry = nullptr;
  if (dladdr1(reinterpret_cast<void*>(address), &info, &entry, RTLD_DL_SYMENT) == 0 ||
      info.dli_fname == nullptr)
    return std::nullopt;
  if (dladdr(reinterpret_cast<void*>(&add_frame), &own) != 0 && own.dli_fbase == info.dli_fbase)
    return std::nullopt;
  HostFunction found{{}, std::string(file_name(info.dli_fname))};
  if (is_of_cuda(found.file) || found.file == file_name(cupti_)) return std::nullopt;
  const auto* symbol = static_cast<const ElfW(Sym)*>(entry);
  std::string mangled;
  if (symbol != nullptr && info.dli_sname != nullptr &&
      address - reinterpret_cast<std::uintptr_t>(info.dli_saddr) < symbol->st_size) {
    mangled = info.dli_sname;
  } else {
    void* map = nullptr;
    std::uintptr_t base = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    if (dladdr1(reinterpret_cast<void*>(address), &info, &map, RTLD_DL_LINKMAP) != 0 && map != nullptr)
      base = static_cast<const link_map*>(map)->l_addr;
    // The program's own name may be any that it was started by.
    const bool is_program = map != nullptr && static_cast<const link_map*>(map)->l_name[0] == '\0';
    const Symbols& all = symbols_of(is_program ? "/proc/self/exe" : info.dli_fname);
    const std::uintptr_t place = address - base;
    auto after = std::upper_bound(all.begin(), all.end(), place,
                                  [](std::uintptr_t at, const Symbol& one) { return at < one.begin; });
    if (after != all.begin() && place < std::prev(after)->end) mangled = std::prev(after)->name;
  }
  if (is_between(mangled, kernel)) return std::nullopt;
  if (!mangled.empty()) found.name = readable(mangled);
  return found;
}

bool CallSites::has_time() const {
  return std::chrono::steady_clock::duration(took_.load()) <= longest;
}

std::string CallSites::host(std::string_view kernel) {
  Frames frames;
  (void)_Unwind_Backtrace(&add_frame, &frames);
  for (std::size_t i = 0; i < frames.count; ++i) {
    std::optional<std::optional<HostFunction>> known;
    {
      const std::lock_guard lock(known_mutex_);
      if (const auto found = known_.find(frames.at[i]); found != known_.end()) known = found->second;
    }
    if (!known) {
      known = function_at(frames.at[i], kernel);
      const std::lock_guard lock(known_mutex_);
      known_.emplace(frames.at[i], *known);
    }
    if (*known) return (*known)->name.empty() ? (*known)->file : (*known)->name;
  }
  return {};
}

std::optional<std::string> CallSites::here(std::string_view ranges, std::string_view kernel) {
  if (!has_time()) return std::nullopt;
  const auto begin = std::chrono::steady_clock::now();
  std::string told(ranges);
  std::replace(told.begin(), told.end(), '\n', ' ');
  told.append("\n").append(python_line()).append("\n").append(host(kernel));
  took_ += (std::chrono::steady_clock::now() - begin).count();
  return told;
}

}  // namespace harness::inject
