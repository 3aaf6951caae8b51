#include "harness/device/trace/launch_sites.h"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/device/code/elf_image.h"
#include "harness/device/code/kernel_launches.h"

namespace harness::trace {
namespace {

constexpr std::size_t longest_name = 160;
constexpr std::size_t most_file_bytes = std::size_t{64} << 20;  // whose table of symbols is read

bool is_of_runtime(std::string_view mangled) {
  for (const std::string_view part :
       {"cudaLaunch", "cudaGraphLaunch", "cudart", "device_stub", "cuLaunch", "cuGraphLaunch"})
    if (mangled.find(part) != std::string_view::npos) return true;
  return false;
}

std::string without_arguments(std::string name) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0 && i > 0 &&
        !std::string_view(name).substr(i).starts_with("(anonymous")) {
      name.resize(i);
      break;
    }
  }
  if (name.size() > longest_name) name = name.substr(0, longest_name) + "...";
  return name;
}

std::string part_of(const std::vector<std::string>& parts, std::size_t i) {
  return i < parts.size() ? parts[i] : std::string();
}

}  // namespace

// From the table that linkers leave for debuggers.
const std::vector<LaunchSites::Symbol>& LaunchSites::symbols_of(const std::string& file) {
  const auto [known, fresh] = symbols_.try_emplace(file);
  std::vector<Symbol>& found = known->second;
  if (!fresh) return found;
  std::error_code code;
  if (const auto size = std::filesystem::file_size(file, code); code || size > most_file_bytes) return found;
  const Result<std::string> bytes = read_file(file);
  if (!bytes) return found;
  const auto sections = elf_sections(std::as_bytes(std::span(bytes->data(), bytes->size())), "a program");
  if (!sections) return found;
  for (const ElfSection& table : *sections) {
    if (table.type != SHT_SYMTAB) continue;
    for (const ElfSymbol& one : elf_symbols(table, *sections))
      if (one.type == STT_FUNC && one.size > 0)
        found.push_back({one.value, one.value + one.size, std::string(one.name)});
  }
  std::sort(found.begin(), found.end(),
            [](const Symbol& one, const Symbol& other) { return one.begin < other.begin; });
  return found;
}

std::string LaunchSites::name_at(const std::string& file, std::uint64_t place) {
  const std::vector<Symbol>& all = symbols_of(file);
  const auto after = std::upper_bound(all.begin(), all.end(), place,
                                      [](std::uint64_t at, const Symbol& one) { return at < one.begin; });
  if (after == all.begin() || place >= std::prev(after)->end) return {};
  return std::prev(after)->name;
}

Site LaunchSites::read(std::string_view text) {
  const std::vector<std::string> lines = split(std::string(text), '\n');
  Site site{printable(part_of(lines, 0)), printable(part_of(lines, 1)), {}};
  for (std::size_t i = 2; i < lines.size(); ++i) {
    const std::vector<std::string> parts = split(lines[i], '\t');
    HostFrame& frame = site.frames.emplace_back(HostFrame{part_of(parts, 0), part_of(parts, 2)});
    const std::string place = part_of(parts, 1);
    std::uint64_t number = 0;
    if (frame.name.empty() &&
        std::from_chars(place.data(), place.data() + place.size(), number).ec == std::errc{})
      frame.name = name_at(frame.file, number);
  }
  return site;
}

std::string host_function(const Site& site, const std::string& kernel) {
  for (const HostFrame& one : site.frames) {
    if ((one.name == kernel && !kernel.empty()) || is_of_runtime(one.name)) continue;
    return printable(one.name.empty() ? std::filesystem::path(one.file).filename().string()
                                      : without_arguments(demangled(one.name)));
  }
  return {};
}

}  // namespace harness::trace
