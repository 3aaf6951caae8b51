#include "harness/device/host/mapped_objects.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace harness {
namespace {
namespace fs = std::filesystem;

constexpr std::size_t padded(std::size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

// The build id in hexadecimal digits among these notes, or "".
std::string build_id_in(const char* notes, std::size_t bytes) {
  using namespace std::string_view_literals;
  constexpr std::string_view owner = "GNU\0"sv;
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head{};
    std::memcpy(&head, notes, sizeof head);
    const std::size_t name = padded(head.n_namesz), value = padded(head.n_descsz);
    if (sizeof head + name + value > bytes) return {};
    const char* const begin = notes + sizeof head;
    if (head.n_type == NT_GNU_BUILD_ID && std::string_view(begin, head.n_namesz) == owner) {
      std::string id;
      for (std::size_t i = 0; i < head.n_descsz; ++i)
        id += fmt::format("{:02x}", static_cast<unsigned char>(begin[name + i]));
      return id;
    }
    notes += sizeof head + name + value;
    bytes -= sizeof head + name + value;
  }
  return {};
}

std::string build_id_of(const dl_phdr_info& object) {
  for (ElfW(Half) i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells addresses as numbers
    const auto* notes = reinterpret_cast<const char*>(object.dlpi_addr + part.p_vaddr);
    if (std::string id = build_id_in(notes, part.p_memsz); !id.empty()) return id;
  }
  return {};
}

std::string state_of(const fs::path& file) {
  std::error_code code;
  const auto bytes = fs::file_size(file, code);
  const auto changed = fs::last_write_time(file, code).time_since_epoch().count();
  return fmt::format("{} bytes, changed {}", bytes, changed);
}

int add_object(dl_phdr_info* object, std::size_t /*size*/, void* lines) {
  const fs::path file = object->dlpi_name;
  if (!file.has_parent_path()) return 0;  // the program, and linux-vdso.so.1
  std::string state = build_id_of(*object);
  if (state.empty()) state = state_of(file);
  static_cast<std::vector<std::string>*>(lines)->push_back(file.filename().string() + " " + state);
  return 0;
}

}  // namespace

std::vector<std::string> mapped_objects() {
  std::vector<std::string> lines;
  dl_iterate_phdr(add_object, &lines);
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace harness
