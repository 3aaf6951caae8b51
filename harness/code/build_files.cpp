#include "harness/code/build_files.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "harness/code/device_file.h"
#include "harness/code/mapped_file.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

bool is_linked(std::span<const std::byte> bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         (header.e_type == ET_DYN || header.e_type == ET_EXEC);
}

}  // namespace

std::vector<BuildFile> files_of_build(const fs::path& root) {
  std::vector<BuildFile> files;
  std::error_code code;
  for (fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, code), end;
       !code && at != end; at.increment(code)) {
    const fs::path& path = at->path();
    const std::string last = path.filename().string();
    if (last == "CMakeFiles" || last == ".git" || last == ".harness") at.disable_recursion_pending();
    if (at->is_symlink(code) || !at->is_regular_file(code)) continue;
    const auto file = MappedFile::open(path);
    if (!file || !is_linked(file->bytes())) continue;
    BuildFile found{path.lexically_relative(root).string(), last.find(".so") != std::string::npos,
                    may_hold_device_code(file->bytes())};
    if (found.is_library || found.has_kernels) files.push_back(std::move(found));
  }
  std::sort(files.begin(), files.end(),
            [](const BuildFile& one, const BuildFile& other) { return one.name < other.name; });
  return files;
}

}  // namespace harness
