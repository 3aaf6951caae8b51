#include "harness/code/device_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>

#include "harness/base/bulk_hash.h"
#include "harness/code/fatbin.h"
#include "harness/code/ptx.h"
#include "harness/device/code/elf_image.h"
#include "harness/device/code/kernel_launches.h"

namespace harness {
namespace {

constexpr std::string_view archive_magic = "!<arch>\n", elf_magic = "\177ELF";
constexpr std::string_view fatbin_magic = "\x50\xED\x55\xBA";
constexpr std::uint16_t cuda_machine = 190;  // e_machine of cubins
constexpr std::size_t member_header = 60;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

bool is_cubin(std::string_view text) {
  std::uint16_t machine = 0;
  if (!text.starts_with(elf_magic) || text.size() < 20) return false;
  std::memcpy(&machine, text.data() + 18, sizeof machine);
  return machine == cuda_machine;
}

bool is_ptx(std::string_view text) {
  return text.substr(0, 4096).find(".version ") != std::string_view::npos &&
         text.substr(0, 4096).find(".target ") != std::string_view::npos;
}

class Reading {
 public:
  Reading(DeviceFile& file, const Used& used) : file_(file), used_(used) {}

  void read(std::span<const std::byte> bytes) {
    const std::string_view text = text_of(bytes);
    if (text.starts_with(archive_magic))
      read_archive(bytes);
    else if (text.starts_with(fatbin_magic))
      read_containers(bytes);
    else if (is_cubin(text))
      add_cubin(bytes);
    else if (text.starts_with(elf_magic))
      read_host_elf(bytes);
    else if (is_ptx(text))
      add_ptx(text);
  }

 private:
  void read_archive(std::span<const std::byte> bytes) {
    std::size_t at = archive_magic.size();
    while (at + member_header <= bytes.size()) {
      const std::string_view size_text = text_of(bytes).substr(at + 48, 10);
      std::size_t size = 0;
      std::from_chars(size_text.data(), size_text.data() + size_text.size(), size);
      at += member_header;
      if (size > bytes.size() - at) return fault("the archive ends within a member", bytes.subspan(at));
      if (text_of(bytes.subspan(at, size)).starts_with(elf_magic)) read(bytes.subspan(at, size));
      at += size + size % 2;
    }
  }

  void read_host_elf(std::span<const std::byte> bytes) {
    const auto sections = elf_sections(bytes, "the file");
    if (!sections) return fault(sections.error().message, bytes);
    for (const ElfSection& one : *sections)
      if (one.name == ".nv_fatbin" || one.name == "__nv_relfatbin") read_containers(bytes_of(one.bytes));
  }

  void read_containers(std::span<const std::byte> bytes) {
    const auto images = fatbin_images(bytes);
    if (!images) return fault(images.error().message, bytes);
    for (const FatbinImage& one : *images) {
      add_image(one);
      if (used_) used_(bytes_of(one.stored));
    }
  }

  void add_image(const FatbinImage& image) {
    const Result<std::string> content = content_of(image);
    if (!content) return fault(content.error().message, bytes_of(image.stored));
    switch (image.kind) {
      case ImageKind::cubin: return add_cubin(bytes_of(*content));
      case ImageKind::ptx: return add_ptx(*content);
      case ImageKind::lto_ir:
        file_.link_time_code = bulk_hash(file_.link_time_code + bulk_hash(*content));
        return;
      case ImageKind::unknown: return fault("an image of an unknown kind", bytes_of(*content));
    }
  }

  void add_cubin(std::span<const std::byte> bytes) {
    const Result<CubinCode> code = read_cubin(bytes);
    if (!code) return fault(code.error().message, bytes);
    for (const KernelCode& one : code->kernels) add_kernel(code->architecture, one);
  }

  void add_ptx(std::string_view text) {
    const std::string architecture = architecture_of_ptx(text);
    for (const KernelCode& one : kernels_of_ptx(text)) add_kernel(architecture, one);
  }

  // A template may be compiled for several sources, so that several images hold a kernel of one name.
  void add_kernel(const std::string& architecture, const KernelCode& one) {
    const auto [found, added] = file_.kernels.try_emplace({architecture, one.name}, one);
    if (added) return;
    found->second.code = merged(found->second.code, one.code);
    found->second.whole = merged(found->second.whole, one.whole);
  }

  // The order of the images does not count, nor how often they hold the same code.
  static std::string merged(const std::string& known, const std::string& more) {
    std::set<std::string> all{more};
    for (std::size_t at = 0; at < known.size(); at += 33) all.insert(known.substr(at, 32));
    std::string text;
    for (const std::string& one : all) text += (text.empty() ? "" : " ") + one;
    return text;
  }

  void fault(const std::string& why, std::span<const std::byte> bytes) {
    if (std::find(file_.faults.begin(), file_.faults.end(), why) == file_.faults.end())
      file_.faults.push_back(why);
    file_.faulty = bulk_hash(file_.faulty + bulk_hash(text_of(bytes)));
  }

  DeviceFile& file_;
  const Used& used_;
};

CodeState state_of(const KernelCode& before, const KernelCode& after) {
  if (before.code != after.code) return CodeState::changed;
  return before.whole == after.whole ? CodeState::same : CodeState::surroundings;
}

}  // namespace

DeviceFile read_device_file(std::span<const std::byte> bytes, const Used& used) {
  DeviceFile file;
  Reading(file, used).read(bytes);
  return file;
}

bool may_hold_device_code(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  if (text.starts_with(archive_magic) || text.starts_with(fatbin_magic) || is_cubin(text)) return true;
  if (!text.starts_with(elf_magic)) return false;
  const auto sections = elf_sections(bytes, "the file");
  return sections && std::any_of(sections->begin(), sections->end(), [](const ElfSection& one) {
           return one.name == ".nv_fatbin" || one.name == "__nv_relfatbin";
         });
}

std::vector<KernelCodeChange> compare_device_files(const std::string& file, const DeviceFile& before,
                                                   const DeviceFile& after) {
  std::vector<KernelCodeChange> changes;
  const auto add = [&](const std::pair<std::string, std::string>& key, CodeState state) -> KernelCodeChange& {
    changes.push_back({file, key.first, key.second, demangled(key.second), state, {}, {}});
    return changes.back();
  };
  for (const auto& [key, one] : before.kernels) {
    const auto other = after.kernels.find(key);
    const bool gone = other == after.kernels.end();
    KernelCodeChange& change = add(key, gone ? CodeState::removed : state_of(one, other->second));
    change.before = one.figures;
    if (!gone) change.after = other->second.figures;
  }
  for (const auto& [key, one] : after.kernels)
    if (!before.kernels.contains(key)) add(key, CodeState::added).after = one.figures;
  return changes;
}

}  // namespace harness
