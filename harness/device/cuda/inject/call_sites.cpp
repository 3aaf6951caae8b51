#include "harness/device/cuda/inject/call_sites.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "harness/device/cuda/inject/python_lines.h"

namespace harness::inject {
namespace {

constexpr std::size_t most_frames = 64;
constexpr int most_told = 8;  // CUDA's runtime in the program itself has fewer

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

}  // namespace

CallSites::CallSites(std::string cupti) : cupti_(std::move(cupti)) {
  std::error_code ignored;
  program_ = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

bool CallSites::has_time() const {
  return std::chrono::steady_clock::duration(took_.load()) <= longest;
}

// Nothing for a function that is no site.
std::optional<std::string> CallSites::frame_at(std::uintptr_t address) const {
  Dl_info info{}, own{};
  void *map = nullptr, *entry = nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an unwinder tells addresses as numbers
  const void* const code = reinterpret_cast<const void*>(address);
  if (dladdr1(code, &info, &map, RTLD_DL_LINKMAP) == 0 || info.dli_fname == nullptr || map == nullptr)
    return std::nullopt;
  if (dladdr(reinterpret_cast<void*>(&add_frame), &own) != 0 && own.dli_fbase == info.dli_fbase)
    return std::nullopt;
  const std::string_view file = file_name(info.dli_fname);
  if (is_of_cuda(file) || file == file_name(cupti_)) return std::nullopt;
  const auto* const loaded = static_cast<const link_map*>(map);
  // The program's own name may be any that it was started by.
  const std::string path = loaded->l_name[0] == '\0' ? program_ : info.dli_fname;
  const std::uintptr_t place = address - loaded->l_addr;
  std::string_view name;
  if (dladdr1(code, &info, &entry, RTLD_DL_SYMENT) != 0 && entry != nullptr && info.dli_sname != nullptr &&
      address - reinterpret_cast<std::uintptr_t>(info.dli_saddr) <
          static_cast<const ElfW(Sym)*>(entry)->st_size)
    name = info.dli_sname;
  return fmt::format("\n{}\t{}\t{}", name, place, path);
}

std::string CallSites::frames() const {
  Frames all;
  (void)_Unwind_Backtrace(&add_frame, &all);
  std::string told;
  int count = 0;
  for (std::size_t i = 0; i < all.count && count < most_told; ++i)
    if (const std::optional<std::string> frame = frame_at(all.at[i])) {
      told += *frame;
      ++count;
    }
  return told;
}

std::optional<std::string> CallSites::here(std::string_view ranges) {
  if (!has_time()) return std::nullopt;
  const auto begin = std::chrono::steady_clock::now();
  std::string told(ranges);
  std::replace(told.begin(), told.end(), '\n', ' ');
  told.append("\n").append(python_line()).append(frames());
  took_ += (std::chrono::steady_clock::now() - begin).count();
  return told;
}

}  // namespace harness::inject
