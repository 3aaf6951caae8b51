#include "harness/code/kernel_code.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "harness/base/bulk_hash.h"
#include "harness/base/files.h"
#include "harness/code/instructions.h"
#include "harness/device/code/elf_image.h"

namespace harness {
namespace {

using Sections = std::vector<ElfSection>;
using Symbols = std::vector<ElfSymbol>;

constexpr std::string_view code_prefix = ".text.";
constexpr std::string_view info_prefix = ".nv.info.";
constexpr std::uint32_t info_type = SHT_LOPROC;           // .nv.info and .nv.info.NAME
constexpr std::uint32_t callgraph_type = SHT_LOPROC + 1;  // follows from the code
constexpr unsigned char entry_flag = 0x10;                // st_other of kernels

// Numbers of attributes in .nv.info, as ptxas 13.0 writes them.
enum Attribute : unsigned char {
  parameter_bank = 0x0a,  // begins with the number of a symbol
  externs = 0x0f,         // numbers of symbols
  frame_size = 0x11,      // of a symbol
  register_count = 0x2f,  // of a symbol
};
constexpr unsigned char sized = 4;  // the format of an attribute whose size follows

struct InfoEntry {
  unsigned char format = 0;
  unsigned char number = 0;
  std::string_view value;
};

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  if (at + sizeof word <= bytes.size()) std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

std::vector<InfoEntry> info_entries(std::string_view bytes) {
  std::vector<InfoEntry> entries;
  while (bytes.size() >= 4) {
    InfoEntry one{static_cast<unsigned char>(bytes[0]), static_cast<unsigned char>(bytes[1]), {}};
    std::uint16_t size = 0;
    std::memcpy(&size, bytes.data() + 2, sizeof size);
    const std::size_t more = one.format == sized ? std::min<std::size_t>(size, bytes.size() - 4) : 0;
    one.value = one.format == sized ? bytes.substr(4, more) : bytes.substr(2, 2);
    entries.push_back(one);
    bytes.remove_prefix(4 + more);
  }
  return entries;
}

std::string_view symbol_name(const Symbols& symbols, std::uint32_t number) {
  return number < symbols.size() ? symbols[number].name : std::string_view("?");
}

// An attribute without numbers of symbols, which depend on the neighbours.
std::string text_of(const InfoEntry& one, const Symbols& symbols) {
  std::string text = fmt::format("{:02x} {:02x}", one.format, one.number);
  std::size_t named = 0;
  if (one.number == externs) named = one.value.size() / 4;
  if (one.number == parameter_bank) named = 1;
  for (std::size_t i = 0; i < named; ++i)
    text += fmt::format(" {}", symbol_name(symbols, word_at(one.value, i * 4)));
  for (const char byte : one.value.substr(std::min(named * 4, one.value.size())))
    text += fmt::format(" {:02x}", static_cast<unsigned char>(byte));
  return text + "\n";
}

bool is_for_tools(std::string_view section) {
  for (const std::string_view relocations : {".rela", ".rel"})
    if (section.starts_with(relocations)) section.remove_prefix(relocations.size());
  return section.starts_with(".debug") || section.starts_with(".nv_debug");
}

using Names = std::set<std::string_view>;

std::optional<std::string_view> owner_of(std::string_view section, const Names& functions) {
  for (std::size_t dot = section.find('.'); dot != std::string_view::npos; dot = section.find('.', dot + 1))
    if (functions.contains(section.substr(dot + 1))) return section.substr(dot + 1);
  return std::nullopt;
}

std::string content_text(const ElfSection& one, const Sections& sections, const Symbols& symbols) {
  if (one.type == SHT_REL || one.type == SHT_RELA) return relocations_text(one, sections);
  if (one.type != info_type || !one.name.starts_with(info_prefix))
    return fmt::format("{} {}", one.size, bulk_hash(one.bytes));
  std::string text;
  for (const InfoEntry& entry : info_entries(one.bytes)) text += text_of(entry, symbols);
  return text;
}

bool counts(const ElfSection& one) {
  switch (one.type) {
    case SHT_PROGBITS:
    case SHT_NOBITS: return !is_for_tools(one.name);
    case SHT_REL:
    case SHT_RELA: return !is_for_tools(one.name) && !one.bytes.empty();
    case SHT_NULL:
    case SHT_SYMTAB:
    case SHT_STRTAB:
    case SHT_NOTE:
    case callgraph_type: return false;
    default: return one.name != ".nv.info";  // figures of all functions, read by figures_of()
  }
}

std::string architecture_of(std::span<const std::byte> image, const std::string& compiler) {
  if (const std::size_t at = compiler.find("-arch "); at != std::string::npos) {
    const std::size_t begin = at + 6;
    return compiler.substr(begin, compiler.find(' ', begin) - begin);
  }
  Elf64_Ehdr header;
  std::memcpy(&header, image.data(), sizeof header);
  const bool new_layout = header.e_ident[EI_ABIVERSION] >= 8;
  return fmt::format("sm_{}", new_layout ? header.e_flags >> 8U & 0xffU : header.e_flags & 0xffU);
}

// "NVIDIA Corp" notes hold the name of the tool, its version, its build and its options, with zeros between.
std::string compiler_of(const Sections& sections) {
  for (const ElfSection& one : sections) {
    if (one.name != ".note.nv.tkinfo") continue;
    const std::size_t begin = one.bytes.find("ptxas");
    if (begin == std::string_view::npos) return {};
    std::string text;
    for (const char letter : one.bytes.substr(begin)) {
      const bool gap = letter == '\0' || letter == ' ';
      if (!gap || (!text.empty() && text.back() != ' ')) text += gap ? ' ' : letter;
    }
    while (text.ends_with(' ')) text.pop_back();
    return text;
  }
  return {};
}

struct ReadFigures {
  std::map<std::string_view, KernelFigures> of;

  void read_attributes(const ElfSection& info, const Symbols& symbols) {
    for (const InfoEntry& one : info_entries(info.bytes)) {
      if (one.number != register_count && one.number != frame_size) continue;
      const auto found = of.find(symbol_name(symbols, word_at(one.value, 0)));
      if (found == of.end()) continue;
      (one.number == register_count ? found->second.registers : found->second.stack_bytes) =
          word_at(one.value, 4);
    }
  }

  void read_section(const ElfSection& one, std::string_view owner) {
    const auto found = of.find(owner);
    if (found == of.end()) return;
    KernelFigures& figures = found->second;
    if (one.name.starts_with(code_prefix)) count_instructions(one.bytes, figures);
    if (one.name.starts_with(".nv.shared.")) figures.shared_bytes += static_cast<std::int64_t>(one.size);
    if (one.name.starts_with(".nv.constant") && !one.name.starts_with(".nv.constant0."))
      figures.constant_bytes += static_cast<std::int64_t>(one.size);
  }
};

bool is_digit(char letter) {
  return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

bool are_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char one) { return std::isxdigit(static_cast<unsigned char>(one)) != 0; });
}

// How long the name of a file's namespace is that begins here, as nvcc makes it: a mark, a hash, the length
// of the file's name, that name, and a hash or a symbol of the file.
// "_GLOBAL__N__b653a67e_14_gpu_kernels_cu_404a394a",
// "_GLOBAL__N__cdf97781_6_one_cu_table". The text in front may end with that length, after other digits. 0:
// it is no such name.
std::size_t namespace_length(std::string_view text, std::size_t mark, std::string_view front) {
  constexpr std::size_t hash = 8;
  if (text.size() < mark + hash + 1 || !are_hex(text.substr(mark, hash)) || text[mark + hash] != '_')
    return 0;
  std::size_t at = mark + hash + 1, file = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    file = file * 10 + static_cast<std::size_t>(text[at] - '0');
    if (file > text.size()) return 0;
  }
  at += 1 + file;
  if (at + 1 >= text.size() || text[at] != '_') return 0;
  ++at;
  if (text.size() >= at + hash && are_hex(text.substr(at, hash))) return at + hash;
  std::size_t told = 0;
  for (std::size_t digits = 1, unit = 1; digits <= 3 && digits <= front.size(); ++digits, unit *= 10) {
    const char digit = front[front.size() - digits];
    if (!is_digit(digit)) break;
    told += static_cast<std::size_t>(digit - '0') * unit;
    if (told > at && told <= text.size()) return told;
  }
  return 0;
}

}  // namespace

std::string source_name(std::string_view text) {
  constexpr std::string_view helper = "$__internal_";
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 0;
    if (text[at] == '_')
      for (const std::string_view mark : {std::string_view("_GLOBAL__N__"), std::string_view("_INTERNAL_")})
        if (length == 0 && text.substr(at).starts_with(mark))
          length = namespace_length(text.substr(at), mark.size(), result);
    if (length > 0) {
      if (const std::string told = fmt::to_string(length); result.ends_with(told))
        result.resize(result.size() - told.size());
      result += "12_GLOBAL__N_1";
      at += length;
    } else if (text[at] == '$' && text.substr(at).starts_with(helper)) {
      result += helper;
      for (at += helper.size(); at < text.size() && is_digit(text[at]);) ++at;
    } else {
      result += text[at++];
    }
  }
  return result;
}

std::string kernel_key(std::string_view name) {
  std::string key;
  for (std::size_t at = 0; at < name.size(); ++at)
    if (name[at] != 'L' || at + 1 == name.size() || !is_digit(name[at + 1])) key += name[at];
  return key;
}

Result<CubinCode> read_cubin(std::span<const std::byte> image) {
  const Result<Sections> sections = all_elf_sections(image, "a cubin");
  if (!sections) return fail(sections.error());
  Symbols symbols;
  Names functions, kernels;
  for (const ElfSection& one : *sections) {
    if (one.type == SHT_SYMTAB) symbols = elf_symbols(one, *sections);
    if (one.type == SHT_PROGBITS && one.name.starts_with(code_prefix))
      functions.insert(one.name.substr(code_prefix.size()));
  }
  for (const ElfSymbol& one : symbols)
    if (one.type == STT_FUNC && (one.other & entry_flag) != 0 && functions.contains(one.name))
      kernels.insert(one.name);
  for (const ElfSection& one : *sections)
    if (const auto owner = owner_of(one.name, functions); owner && one.name.starts_with(".nv.constant0."))
      kernels.insert(*owner);

  ReadFigures figures;
  for (const std::string_view name : kernels) figures.of[name];
  std::map<std::string_view, std::vector<std::string>> own;
  std::vector<std::string> shared;
  for (const ElfSection& one : *sections) {
    if (one.name == ".nv.info") figures.read_attributes(one, symbols);
    if (!counts(one)) continue;
    const auto owner = owner_of(one.name, functions);
    if (owner) figures.read_section(one, *owner);
    (owner && kernels.contains(*owner) ? own[*owner] : shared)
        .push_back(source_name(fmt::format("{} {}\n", one.name, content_text(one, *sections, symbols))));
  }
  const auto joined = [](std::vector<std::string>& lines) {
    std::sort(lines.begin(), lines.end());
    std::string text;
    for (const std::string& line : lines) text += line;
    return text;
  };
  CubinCode code;
  code.architecture = architecture_of(image, compiler_of(*sections));
  const std::string rest = joined(shared);
  for (const std::string_view name : kernels) {
    const KernelFigures& of_it = figures.of[name];
    const std::string text = joined(own[name]) + fmt::format("{} {}\n", of_it.registers, of_it.stack_bytes);
    code.kernels.push_back({source_name(name), bulk_hash(text), bulk_hash(text + rest), of_it});
  }
  return code;
}

}  // namespace harness
