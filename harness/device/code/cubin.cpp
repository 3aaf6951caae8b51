#include "harness/device/code/cubin.h"

#include <elf.h>
#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/bulk_hash.h"
#include "harness/base/files.h"
#include "harness/device/code/elf_image.h"

namespace harness {
namespace {

constexpr std::string_view code_prefix = ".text.";
constexpr std::string_view constant_prefix = ".nv.constant";
constexpr std::string_view parameters_prefix = ".nv.constant0.";

// The kernel of a section of constants, except launch parameters: ".nv.constant2.NAME" -> "NAME".
std::optional<std::string_view> owner_of_constants(std::string_view section) {
  if (!section.starts_with(constant_prefix)) return std::nullopt;
  section.remove_prefix(constant_prefix.size());
  const std::size_t dot = section.find('.');
  if (dot == std::string_view::npos || section.substr(0, dot) == "0") return std::nullopt;
  return section.substr(dot + 1);
}

// The function whose instructions the section holds: ".text.NAME" -> "NAME".
std::optional<std::string_view> function_of(const ElfSection& one) {
  if (one.type != SHT_PROGBITS || !one.name.starts_with(code_prefix) || one.name.size() == code_prefix.size())
    return std::nullopt;
  return one.name.substr(code_prefix.size());
}

using Names = std::set<std::string_view>;

Names functions_of(const std::vector<ElfSection>& sections) {
  Names names;
  for (const ElfSection& one : sections)
    if (const auto name = function_of(one)) names.insert(*name);
  return names;
}

// The function that a section belongs to, by the end of its name: ".rela.text.NAME" -> "NAME".
std::optional<std::string_view> owner_of(std::string_view section, const Names& functions) {
  for (std::size_t dot = section.find('.'); dot != std::string_view::npos; dot = section.find('.', dot + 1))
    if (functions.contains(section.substr(dot + 1))) return section.substr(dot + 1);
  return std::nullopt;
}

std::string hash_of(const ElfSection& one, const std::vector<ElfSection>& sections) {
  if (one.type != SHT_REL && one.type != SHT_RELA) return bulk_hash(one.bytes);
  return bulk_hash(relocations_text(one, sections));
}

// Sections that change nothing about what is executed.
bool is_for_tools(std::string_view section) {
  for (const std::string_view relocations : {".rela", ".rel"})
    if (section.starts_with(relocations)) section.remove_prefix(relocations.size());
  return section.starts_with(".debug") || section.starts_with(".nv_debug");
}

}  // namespace

Result<FunctionBytes> function_bytes(std::span<const std::byte> image) {
  const Result<std::vector<ElfSection>> sections = elf_sections(image, "a cubin");
  if (!sections) return fail(sections.error());
  FunctionBytes code;
  for (const ElfSection& one : *sections)
    if (const auto name = function_of(one)) code[std::string(*name)] = std::string(one.bytes);
  for (const ElfSection& one : *sections)
    if (const auto owner = one.type == SHT_PROGBITS ? owner_of_constants(one.name) : std::nullopt)
      if (const auto found = code.find(*owner); found != code.end()) found->second += one.bytes;
  return code;
}

// Only kernels have launch parameters, in bank 0 of their constants.
Result<CodeHashes> whole_code_hashes(std::span<const std::byte> image) {
  const Result<std::vector<ElfSection>> sections = elf_sections(image, "a cubin");
  if (!sections) return fail(sections.error());
  const Names functions = functions_of(*sections);
  CodeHashes kernels;  // the sections of each function
  for (const ElfSection& one : *sections)
    if (one.name.starts_with(parameters_prefix))
      if (const std::string_view name = one.name.substr(parameters_prefix.size()); functions.contains(name))
        kernels.emplace(name, "");
  std::string shared;
  for (const ElfSection& one : *sections) {
    if ((one.type != SHT_PROGBITS && one.type != SHT_REL && one.type != SHT_RELA) || is_for_tools(one.name))
      continue;
    const auto owner = owner_of(one.name, functions);
    const auto kernel = owner ? kernels.find(*owner) : kernels.end();
    (kernel != kernels.end() ? kernel->second : shared) +=
        fmt::format("{} {}\n", one.name, hash_of(one, *sections));
  }
  for (auto& [name, text] : kernels) text = content_hash(text + shared);
  return kernels;
}

}  // namespace harness
