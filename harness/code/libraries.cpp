#include "harness/code/libraries.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <vector>

#include "harness/base/bulk_hash.h"
#include "harness/code/host/host_code.h"
#include "harness/code/mapped_file.h"
#include "harness/device/code/elf_image.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

// They come with the driver, so no build brings them.
bool is_of_driver(std::string_view name) {
  constexpr auto starts = std::to_array<std::string_view>({"libcuda.so", "libnvidia-", "ld-linux"});
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view one) { return name.starts_with(one); });
}

// Where the dynamic linker looks when a file names no folder.
std::vector<fs::path> usual_folders() {
  return {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
          "/usr/local/lib",        "/usr/local/cuda/lib64"};
}

fs::path place_of(const std::string& name, const fs::path& needed_by,
                  const std::vector<std::string>& folders) {
  std::vector<fs::path> places;
  for (std::string folder : folders) {
    for (const std::string_view mark : {std::string_view("$ORIGIN"), std::string_view("${ORIGIN}")})
      if (const std::size_t at = folder.find(mark); at != std::string::npos)
        folder.replace(at, mark.size(), needed_by.parent_path().string());
    places.emplace_back(folder);
  }
  const std::vector<fs::path> usual = usual_folders();
  places.insert(places.end(), usual.begin(), usual.end());
  std::error_code code;
  for (const fs::path& place : places)
    if (fs::is_regular_file(place / name, code)) return place / name;
  return {};
}

}  // namespace

Libraries libraries_of(const fs::path& file) {
  Libraries found;
  std::vector<fs::path> open{file};
  while (!open.empty()) {
    const fs::path one = open.back();
    open.pop_back();
    const Result<MappedFile> mapped = MappedFile::open(one);
    if (!mapped) continue;
    const NeededLibraries needed = needed_libraries(mapped->bytes());
    for (const std::string& name : needed.names) {
      if (is_of_driver(name) || found.contains(name)) continue;
      const fs::path path = place_of(name, one, needed.folders);
      found[name] = path;
      if (!path.empty()) open.push_back(path);
    }
  }
  return found;
}

std::string identity_of_library(const fs::path& file) {
  const Result<MappedFile> mapped = MappedFile::open(file);
  if (!mapped) return {};
  const auto sections = elf_sections(mapped->bytes(), "the file");
  if (sections)
    for (const ElfSection& one : *sections)
      if (one.name == ".note.gnu.build-id") return bulk_hash(one.bytes);
  const auto bytes = mapped->bytes();
  return bulk_hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace harness
