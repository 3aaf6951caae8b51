#include "harness/code/shift/shifted_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/code/fatbin.h"
#include "harness/code/shift/shift_code.h"
#include "harness/device/code/cubin.h"
#include "harness/device/code/elf_image.h"
#include "harness/device/code/kernel_launches.h"

namespace harness {
namespace shifting {
namespace {

constexpr std::size_t most_nops = 7;  // equal sizes for all shifts up to this
constexpr std::size_t page = 4096;
constexpr std::size_t container_alignment = 16;
constexpr std::string_view function_prefix = ".text.";

// The CUDA runtime is given this to register a container.
struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t container;  // a pointer
  std::uint64_t linked;     // a pointer: what the container was linked from
};
static_assert(sizeof(Wrapper) == 24);
constexpr std::uint32_t wrapper_magic = 0x466243b1;
constexpr std::uint32_t container_magic = 0xBA55ED50;

tl::unexpected<Error> cannot(const std::string& why) {
  return fail(ErrorKind::environment, why);
}

std::size_t aligned(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}

std::span<const std::byte> span_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

template <class T>
std::optional<T> read_at(std::string_view bytes, std::size_t at) {
  if (at > bytes.size() || sizeof(T) > bytes.size() - at) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool is_relocatable(std::string_view cubin) {
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  return header && header->e_type == ET_REL;
}

// Shifts what it can of a cubin's functions, and notes what it cannot.
class CubinShift {
 public:
  CubinShift(ShiftedFile& file, std::size_t nops, const std::set<std::string>& wanted)
      : file_(file), nops_(nops), wanted_(wanted) {}

  // std::nullopt: it has no function that is wanted.
  std::optional<std::string> shifted(std::string cubin) {
    const auto sections = all_elf_sections(span_of(cubin), "a cubin");
    if (!sections) return std::nullopt;
    std::vector<std::string> names;
    for (const ElfSection& one : *sections)
      if (one.name.starts_with(function_prefix)) names.emplace_back(one.name.substr(function_prefix.size()));
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return wanted_.contains(demangled(name)); }))
      return std::nullopt;
    std::vector<std::string> shifted;
    std::string refused, why;  // the first one
    for (const std::string& name : names) {
      try {
        cubin = shift_code(cubin, name, {nops_, most_nops});
        shifted.push_back(name);
      } catch (const std::runtime_error& error) {
        file_.refused.emplace(demangled(name), error.what());
        if (refused.empty()) refused = demangled(name), why = error.what();
      }
    }
    // A kernel may call it, and then runs code that did not move.
    if (!refused.empty())
      for (const std::string& name : shifted)
        file_.refused.emplace(demangled(name), fmt::format("its image has `{}`: {}", refused, why));
    note_codes(cubin, shifted);
    return cubin;
  }

 private:
  void note_codes(std::string_view cubin, const std::vector<std::string>& shifted) {
    const Result<FunctionBytes> functions = function_bytes(span_of(cubin));
    for (const std::string& name : shifted) {
      const auto found = functions ? functions->find(name) : FunctionBytes::const_iterator();
      if (functions && found != functions->end())
        file_.shifted[demangled(name)].insert(content_hash(found->second));
      else
        file_.refused.emplace(demangled(name), "its code cannot be read when it is shifted");
    }
  }

  ShiftedFile& file_;
  std::size_t nops_;
  const std::set<std::string>& wanted_;
};

// The host's ELF file, as it is changed.
class HostFile {
 public:
  explicit HostFile(std::span<const std::byte> file)
      : bytes_(reinterpret_cast<const char*>(file.data()), file.size()) {}

  Status read() {
    const auto header = read_at<Elf64_Ehdr>(bytes_, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64 ||
        (header->e_type != ET_DYN && header->e_type != ET_EXEC))
      return cannot("it is no program or shared object for x86-64");
    header_ = *header;
    if (header_.e_phentsize != sizeof(Elf64_Phdr) || header_.e_shentsize != sizeof(Elf64_Shdr))
      return cannot("its headers have another size");
    for (std::size_t i = 0; i < header_.e_phnum; ++i) {
      const auto one = read_at<Elf64_Phdr>(bytes_, header_.e_phoff + i * sizeof(Elf64_Phdr));
      if (!one) return cannot("its headers end outside of it");
      segments_.push_back(*one);
    }
    for (std::size_t i = 0; i < header_.e_shnum; ++i) {
      const auto one = read_at<Elf64_Shdr>(bytes_, header_.e_shoff + i * sizeof(Elf64_Shdr));
      if (!one) return cannot("its headers end outside of it");
      sections_.push_back(*one);
    }
    if (header_.e_shstrndx >= sections_.size()) return cannot("it has no names of sections");
    return find_relocations();
  }

  // std::nullopt: it has none of the name, or its bytes are outside of the file.
  [[nodiscard]] std::optional<std::size_t> section(std::string_view name) const {
    const Elf64_Shdr& names = sections_[header_.e_shstrndx];
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const std::size_t at = names.sh_offset + sections_[i].sh_name;
      if (at > bytes_.size() || name.size() >= bytes_.size() - at ||
          bytes_.compare(at, name.size(), name) != 0 || bytes_[at + name.size()] != '\0')
        continue;
      const Elf64_Shdr& found = sections_[i];
      if (found.sh_type == SHT_NOBITS || found.sh_offset > bytes_.size() ||
          found.sh_size > bytes_.size() - found.sh_offset)
        return std::nullopt;
      return i;
    }
    return std::nullopt;
  }
  [[nodiscard]] const Elf64_Shdr& header_of(std::size_t section) const { return sections_[section]; }
  [[nodiscard]] std::string_view content_of(std::size_t section) const {
    return std::string_view(bytes_).substr(sections_[section].sh_offset, sections_[section].sh_size);
  }

  // The word at an address of a section, where the loader would put it.
  [[nodiscard]] std::uint64_t pointer_at(std::size_t section, std::uint64_t offset) const {
    const auto relative = relative_.find(sections_[section].sh_addr + offset);
    if (relative != relative_.end()) return read_at<Elf64_Rela>(bytes_, relative->second)->r_addend;
    return *read_at<std::uint64_t>(bytes_, sections_[section].sh_offset + offset);
  }
  // Whether the loader finds the word by something else than a relative relocation.
  [[nodiscard]] bool is_symbolic(std::size_t section, std::uint64_t offset) const {
    return symbolic_.contains(sections_[section].sh_addr + offset);
  }
  void set_pointer(std::size_t section, std::uint64_t offset, std::uint64_t value) {
    const auto relative = relative_.find(sections_[section].sh_addr + offset);
    const std::size_t word = sections_[section].sh_offset + offset;
    if (relative != relative_.end()) write(relative->second + offsetof(Elf64_Rela, r_addend), value);
    write(word, value);
  }

  // The address of the first byte of a segment that is put behind all others.
  [[nodiscard]] std::uint64_t next_address() const {
    std::uint64_t end = 0;
    for (const Elf64_Phdr& one : segments_)
      if (one.p_type == PT_LOAD) end = std::max(end, one.p_vaddr + one.p_memsz);
    return aligned(end, page);
  }

  // Appends the segment, and lets the section lie in it.
  Status append(const std::string& content, std::size_t section) {
    const std::uint64_t address = next_address(), offset = aligned(bytes_.size(), page);
    const auto spare = spare_header(section);
    if (spare == segments_.end()) return cannot("it has no note whose program header a segment could take");
    segments_.erase(spare);
    const auto last = std::find_if(segments_.rbegin(), segments_.rend(),
                                   [](const Elf64_Phdr& one) { return one.p_type == PT_LOAD; });
    // Loadable segments stand in the order of their addresses.
    segments_.insert(last.base(), Elf64_Phdr{PT_LOAD, PF_R, offset, address, address, content.size(),
                                             content.size(), page});
    for (std::size_t i = 0; i < segments_.size(); ++i)
      write(header_.e_phoff + i * sizeof(Elf64_Phdr), segments_[i]);
    Elf64_Shdr moved = sections_[section];
    moved.sh_offset = offset;
    moved.sh_addr = address;
    moved.sh_size = content.size();
    moved.sh_addralign = container_alignment;
    write(header_.e_shoff + section * sizeof(Elf64_Shdr), moved);
    bytes_.resize(offset, '\0');
    bytes_ += content;
    return {};
  }

  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  template <class T>
  void write(std::size_t at, const T& value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

  // A program header that the file can do without: of a segment that append() made, so that the file was
  // shifted before, or of its last note. It made the last one that is loaded, which is only read, and holds
  // this section alone.
  std::vector<Elf64_Phdr>::iterator spare_header(std::size_t section) {
    const Elf64_Shdr& content = sections_[section];
    const auto last = std::find_if(segments_.rbegin(), segments_.rend(),
                                   [](const Elf64_Phdr& one) { return one.p_type == PT_LOAD; });
    if (last != segments_.rend() && last->p_flags == PF_R && last->p_offset == content.sh_offset &&
        last->p_filesz == content.sh_size && last->p_offset + last->p_filesz == bytes_.size())
      return std::next(last).base();
    const auto note = std::find_if(segments_.rbegin(), segments_.rend(),
                                   [](const Elf64_Phdr& one) { return one.p_type == PT_NOTE; });
    return note == segments_.rend() ? segments_.end() : std::next(note).base();
  }

  Status find_relocations() {
    for (const Elf64_Shdr& table : sections_) {
      if (table.sh_type != SHT_RELA || (table.sh_flags & SHF_ALLOC) == 0) continue;
      for (std::uint64_t at = table.sh_offset; at + sizeof(Elf64_Rela) <= table.sh_offset + table.sh_size;
           at += sizeof(Elf64_Rela)) {
        const auto one = read_at<Elf64_Rela>(bytes_, at);
        if (!one) return cannot("its relocations end outside of it");
        if (ELF64_R_TYPE(one->r_info) == R_X86_64_RELATIVE)
          relative_.emplace(one->r_offset, at);
        else
          symbolic_.insert(one->r_offset);
      }
    }
    return {};
  }

  std::string bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
  std::map<std::uint64_t, std::size_t> relative_;  // by address: the relocation's place in the file
  std::set<std::uint64_t> symbolic_;
};

// All containers of a section, shifted, with the place of each.
struct Containers {
  std::string bytes;
  std::map<std::size_t, std::size_t> places;  // offset in the new bytes, by that in the old ones
};

Result<Containers> shifted_containers(std::string_view old, unsigned architecture, CubinShift& shift) {
  const auto replace = [&](const FatbinImage& image) -> Result<std::optional<std::string>> {
    if (image.kind != ImageKind::cubin || image.architecture != architecture) return std::nullopt;
    Result<std::string> content = content_of(image);
    if (!content) return fail(content.error());
    if (is_relocatable(*content)) return std::nullopt;
    return shift.shifted(std::move(*content));
  };
  Containers found;
  for (std::size_t at = 0; at < old.size();) {
    if (read_at<std::uint32_t>(old, at) != container_magic) {  // the linker fills up
      at = aligned(at + 1, 8);
      continue;
    }
    const Result<ReplacedContainer> container = replace_images(span_of(old.substr(at)), replace);
    if (!container) return fail(container.error());
    found.bytes.resize(aligned(found.bytes.size(), container_alignment), '\0');
    found.places.emplace(at, found.bytes.size());
    found.bytes += container->bytes;
    at += container->old_size;
  }
  return found;
}

// Lets each wrapper point to its container's new place. Containers outside of the section stay: they are
// what others were linked from.
Status point_to(HostFile& host, std::size_t wrappers, std::size_t fatbins, const Containers& containers) {
  const std::uint64_t old = host.header_of(fatbins).sh_addr, now = host.next_address();
  const std::string_view content = host.content_of(wrappers);
  std::size_t pointed = 0;
  for (std::size_t at = 0; at + sizeof(Wrapper) <= content.size(); at += sizeof(Wrapper)) {
    const auto wrapper = read_at<Wrapper>(content, at);
    if (wrapper->magic != wrapper_magic) return cannot("its wrappers of device code have another form");
    const std::size_t word = at + offsetof(Wrapper, container);
    if (host.is_symbolic(wrappers, word))
      return cannot("a wrapper of device code points to a symbol of another file");
    const std::uint64_t pointer = host.pointer_at(wrappers, word);
    const auto place = containers.places.find(pointer - old);
    if (place == containers.places.end()) continue;
    host.set_pointer(wrappers, word, now + place->second);
    ++pointed;
  }
  if (pointed == 0) return cannot("it registers no device code");
  return {};
}

}  // namespace
}  // namespace shifting

Result<ShiftedFile> shifted_file(std::span<const std::byte> file, unsigned architecture, std::size_t nops,
                                 const std::set<std::string>& wanted) {
  using namespace shifting;
  HostFile host(file);
  if (const Status read = host.read(); !read) return fail(read.error());
  const auto wrappers = host.section(".nvFatBinSegment"), fatbins = host.section(".nv_fatbin");
  if (!wrappers || !fatbins) return cannot("it registers no device code");
  ShiftedFile shifted;
  CubinShift shift(shifted, nops, wanted);
  const Result<Containers> containers = shifted_containers(host.content_of(*fatbins), architecture, shift);
  if (!containers) return fail(containers.error());
  if (const Status pointed = point_to(host, *wrappers, *fatbins, *containers); !pointed)
    return fail(pointed.error());
  if (const Status appended = host.append(containers->bytes, *fatbins); !appended)
    return fail(appended.error());
  shifted.bytes = host.take();
  return shifted;
}

}  // namespace harness
