#include "harness/code/shift/shift_code.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace harness {
namespace shifting {
namespace {

// Instructions as ptxas 13.0 writes them for sm_90 (tests/code/shift_code_test.cpp compares). A branch counts
// in units of four bytes from the next instruction. The lower 8 bits are bits 16 to 23 of the first word, and
// the others begin at its bit 34.
constexpr std::uint64_t branch_low = 0x0000000000007947;
constexpr std::uint64_t branch_high = 0x000fea0003800000;
constexpr std::uint64_t nop_low = 0x0000000000007918;
constexpr std::uint64_t nop_high = 0x000fc00000000000;
constexpr std::uint64_t cuda_machine = 190;
constexpr std::uint64_t section_alignment = 128;

[[noreturn]] void refuse(const std::string& why) {
  throw std::runtime_error("the code cannot be shifted: " + why);
}

void append(std::string& code, std::uint64_t low, std::uint64_t high) {
  code.append(reinterpret_cast<const char*>(&low), sizeof low);
  code.append(reinterpret_cast<const char*>(&high), sizeof high);
}

std::string nops(std::size_t count) {
  std::string code;
  for (std::size_t i = 0; i < count; ++i) append(code, nop_low, nop_high);
  return code;
}

// A branch over `count` NOPs, and these.
std::string beginning(std::size_t count) {
  const std::uint64_t distance = count * bytes_an_instruction / 4;
  std::string code;
  append(code, branch_low | (distance & 0xff) << 16 | (distance >> 8) << 34, branch_high);
  return code + nops(count);
}

// One attribute of a section .nv.info: a format, a number, and two bytes or as many as these say.
struct Attribute {
  std::uint8_t format;
  std::uint8_t number;
  std::uint16_t size;
};
constexpr std::uint8_t sized_format = 4;

// Attributes whose values are offsets of instructions, 4 bytes each. The names are cuobjdump's. Only what was
// seen in cubins of ptxas 13.0 is listed.
constexpr std::array<std::uint8_t, 4> offset_lists{0x1c,   // EXIT_INSTR_OFFSETS
                                                   0x28,   // COOP_GROUP_INSTR_OFFSETS
                                                   0x31,   // INT_WARP_WIDE_INSTR_OFFSETS
                                                   0x46};  // SYSCALL_OFFSETS
constexpr std::uint8_t mbarrier_offsets = 0x39;  // MBARRIER_INSTR_OFFSETS: offset, and three more words
constexpr std::uint8_t unused_bytes = 0x44;      // UNUSED_LOAD_BYTE_OFFSET: offset, mask
constexpr std::uint8_t annotations = 0x55;       // ANNOTATIONS: a kind, and what it needs
constexpr std::uint8_t branch_targets = 0x34;    // INDIRECT_BRANCH_TARGETS: branch, two words, targets
// Without offsets of instructions.
constexpr std::array<std::uint8_t, 12> others{0x05,   // MAX_THREADS
                                              0x0a,   // PARAM_CBANK
                                              0x0f,   // EXTERNS
                                              0x10,   // REQNTID
                                              0x17,   // KPARAM_INFO
                                              0x1e,   // CRS_STACK_SIZE
                                              0x23,   // MAX_STACK_SIZE
                                              0x29,   // COOP_GROUP_MASK_REGIDS
                                              0x36,   // SW_WAR
                                              0x37,   // CUDA_API_VERSION
                                              0x3d,   // CTA_PER_CLUSTER
                                              0x3f};  // MAX_CLUSTER_RANK

template <std::size_t N>
bool is_one_of(std::uint8_t number, const std::array<std::uint8_t, N>& all) {
  return std::find(all.begin(), all.end(), number) != all.end();
}

class Cubin {
 public:
  Cubin(std::string_view bytes, const std::string& kernel) : bytes_(bytes), kernel_(kernel) {
    header_ = read<Elf64_Ehdr>(0);
    if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 || header_.e_machine != cuda_machine)
      refuse("it is in no cubin");
    // Since CUDA 13, ELF images say the compute capability in the second byte of their flags.
    const unsigned capability =
        header_.e_ident[EI_ABIVERSION] >= 8 ? header_.e_flags >> 8 & 0xff : header_.e_flags & 0xff;
    if (capability != 90)
      refuse("its instructions are those of compute capability " + std::to_string(capability) +
             ", and only those of 90 are known");
    if (header_.e_shentsize != sizeof(Elf64_Shdr) || header_.e_shnum == 0 ||
        (header_.e_phnum > 0 && header_.e_phentsize != sizeof(Elf64_Phdr)))
      refuse("its headers have another size");
    for (std::size_t i = 0; i < header_.e_shnum; ++i)
      sections_.push_back(read<Elf64_Shdr>(header_.e_shoff + i * sizeof(Elf64_Shdr)));
    for (std::size_t i = 0; i < header_.e_phnum; ++i)
      segments_.push_back(read<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr)));
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const std::string name = name_of(sections_[i]);
      if (name == ".text." + kernel) text_ = i;
      if (name == ".symtab_shndx") refuse("the cubin has more than 65,000 sections");
      if (name.find(".nv.merc") != std::string::npos || name.find(".nv.capmerc") != std::string::npos)
        refuse("the cubin has a section " + name);
    }
    if (text_ == 0) refuse("the cubin has no kernel " + kernel);
  }

  [[nodiscard]] std::size_t code_bytes() const { return sections_[text_].sh_size; }

  std::string shifted(Shift shift) {
    const Elf64_Shdr text = sections_[text_];
    by_ = bytes_an_instruction * (1 + shift.nops);
    std::uint64_t alignment = section_alignment;
    for (const Elf64_Shdr& one : sections_) alignment = std::max<std::uint64_t>(alignment, one.sh_addralign);
    const std::size_t room = bytes_an_instruction * (1 + std::max(shift.room, shift.nops));
    growth_ = (room + alignment - 1) / alignment * alignment;
    if (text.sh_offset > bytes_.size() || text.sh_size > bytes_.size() - text.sh_offset)
      refuse("its section ends outside of the cubin");

    for (const Elf64_Shdr& one : sections_) {
      if (one.sh_type == SHT_SYMTAB) move_symbols(one);
      if (one.sh_type == SHT_REL || one.sh_type == SHT_RELA) move_relocations(one);
      if (name_of(one) == ".nv.info." + kernel_) move_attributes(one);
    }
    move_headers();
    return bytes_.substr(0, text.sh_offset) + beginning(shift.nops) +
           bytes_.substr(text.sh_offset, text.sh_size) + nops((growth_ - by_) / bytes_an_instruction) +
           bytes_.substr(text.sh_offset + text.sh_size);
  }

 private:
  template <class T>
  T read(std::uint64_t at) const {
    if (at > bytes_.size() || sizeof(T) > bytes_.size() - at) refuse("the cubin ends too early");
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  template <class T>
  void write(std::uint64_t at, const T& value) {
    (void)read<T>(at);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

  std::string text_at(const Elf64_Shdr& strings, std::uint64_t at) const {
    const std::uint64_t begin = strings.sh_offset + at;
    const std::size_t end = begin < bytes_.size() ? bytes_.find('\0', begin) : std::string::npos;
    if (end == std::string::npos) refuse("a name ends outside of the cubin");
    return bytes_.substr(begin, end - begin);
  }
  std::string name_of(const Elf64_Shdr& section) const {
    if (header_.e_shstrndx >= sections_.size()) refuse("the cubin has no names of sections");
    return text_at(sections_[header_.e_shstrndx], section.sh_name);
  }

  // The kernel itself begins where it did. Functions inside of its section move.
  void move_symbols(const Elf64_Shdr& table) {
    for (std::uint64_t at = table.sh_offset; at + sizeof(Elf64_Sym) <= table.sh_offset + table.sh_size;
         at += sizeof(Elf64_Sym)) {
      auto symbol = read<Elf64_Sym>(at);
      if (symbol.st_shndx != text_) continue;
      if (symbol.st_value > 0)
        symbol.st_value += by_;
      else if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
        symbol.st_size += growth_;
      write(at, symbol);
    }
  }

  // Symbols have moved already. An address is told as a symbol and an addend: the kernel and 0 is its entry,
  // and anything more lies inside.
  // Descriptions for debuggers follow the code.
  void move_relocations(const Elf64_Shdr& table) {
    if (table.sh_link >= sections_.size() || table.sh_info >= sections_.size())
      refuse("relocations of no section");
    const bool with_addend = table.sh_type == SHT_RELA;
    const std::uint64_t size = with_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    const std::string target = name_of(sections_[table.sh_info]);
    const bool for_debuggers = target.starts_with(".debug") || target.starts_with(".nv_debug");
    for (std::uint64_t at = table.sh_offset; at + size <= table.sh_offset + table.sh_size; at += size) {
      auto one = read<Elf64_Rel>(at);
      if (table.sh_info == text_) {
        one.r_offset += by_;
        write(at, one);
      }
      const auto symbol =
          read<Elf64_Sym>(sections_[table.sh_link].sh_offset + ELF64_R_SYM(one.r_info) * sizeof(Elf64_Sym));
      if (symbol.st_shndx != text_ || symbol.st_value > 0) continue;
      if (!with_addend) refuse("a relocation of " + target + " has its addend in place");
      auto whole = read<Elf64_Rela>(at);
      if (for_debuggers || whole.r_addend > 0) whole.r_addend += static_cast<Elf64_Sxword>(by_);
      write(at, whole);
    }
  }

  void move_attributes(const Elf64_Shdr& info) {
    const std::uint64_t end = info.sh_offset + info.sh_size;
    for (std::uint64_t at = info.sh_offset; at < end;) {
      const auto one = read<Attribute>(at);
      at += sizeof(Attribute);
      if (one.format != sized_format) continue;  // two bytes hold no offset
      if (at + one.size > end) refuse("an attribute ends outside of its section");
      if (is_one_of(one.number, offset_lists))
        move_words(at, one.size, 1);
      else if (one.number == mbarrier_offsets)
        move_words(at, one.size, 4);
      else if (one.number == unused_bytes)
        move_words(at, one.size, 2);
      else if (one.number == annotations)
        move_annotations(at, one.size);
      else if (one.number == branch_targets)
        move_targets(at, one.size);
      else if (!is_one_of(one.number, others))
        refuse("attribute " + std::to_string(one.number) + " of .nv.info may hold offsets of instructions");
      at += one.size;
    }
  }
  void move_word(std::uint64_t at) { write(at, static_cast<std::uint32_t>(read<std::uint32_t>(at) + by_)); }
  // The first word of every `stride`.
  void move_words(std::uint64_t at, std::uint64_t size, std::uint64_t stride) {
    if (size % (4 * stride) != 0) refuse("a list of instructions has another form");
    for (std::uint64_t i = 0; i < size; i += 4 * stride) move_word(at + i);
  }
  // Only the first kind was seen: an offset.
  void move_annotations(std::uint64_t at, std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; i += 8) {
      if (size - i < 8 || read<std::uint32_t>(at + i) != 1) refuse("an annotation is of an unknown kind");
      move_word(at + i + 4);
    }
  }
  // For each branch: its offset, two halves, the number of targets, and these.
  void move_targets(std::uint64_t at, std::uint64_t size) {
    const std::uint64_t end = at + size;
    while (at < end) {
      if (at + 12 > end) refuse("a list of branch targets has another form");
      const std::uint64_t targets = read<std::uint32_t>(at + 8);
      if (targets > (end - at - 12) / 4) refuse("a list of branch targets has another form");
      move_word(at);
      for (std::uint64_t i = 0; i < targets; ++i) move_word(at + 12 + 4 * i);
      at += 12 + 4 * targets;
    }
  }

  void move_headers() {
    const Elf64_Shdr text = sections_[text_];
    const std::uint64_t end = text.sh_offset + text.sh_size;
    const auto moved = [&](std::uint64_t offset) { return offset >= end ? offset + growth_ : offset; };
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      Elf64_Shdr one = sections_[i];
      if (i != text_ && one.sh_offset > text.sh_offset && one.sh_offset < end && one.sh_type != SHT_NOBITS)
        refuse("a section lies inside of the code");
      if (i == text_)
        one.sh_size += growth_;
      else
        one.sh_offset = moved(one.sh_offset);
      write(header_.e_shoff + i * sizeof one, one);
    }
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      Elf64_Phdr one = segments_[i];
      if (one.p_offset <= text.sh_offset && one.p_offset + one.p_filesz >= end) {
        one.p_filesz += growth_;
        one.p_memsz += growth_;
      } else {
        one.p_offset = moved(one.p_offset);
      }
      write(header_.e_phoff + i * sizeof one, one);
    }
    Elf64_Ehdr header = header_;
    header.e_shoff = moved(header.e_shoff);
    header.e_phoff = moved(header.e_phoff);
    write(0, header);
  }

  std::string bytes_;
  std::string kernel_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Phdr> segments_;
  std::size_t text_ = 0;
  std::uint64_t by_ = 0;      // how far the code moves
  std::uint64_t growth_ = 0;  // of its section
};

}  // namespace
}  // namespace shifting

std::string shift_code(std::string_view cubin, const std::string& kernel, Shift shift) {
  return shifting::Cubin(cubin, kernel).shifted(shift);
}

std::size_t code_bytes(std::string_view cubin, const std::string& kernel) {
  try {
    return shifting::Cubin(cubin, kernel).code_bytes();
  } catch (const std::runtime_error&) {
    return 0;
  }
}

}  // namespace harness
