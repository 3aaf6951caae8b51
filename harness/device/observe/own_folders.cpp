#include "harness/device/observe/own_folders.h"

#include <system_error>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/device/observe/resolve_path.h"

namespace harness {
namespace fs = std::filesystem;

fs::path repository_of(const fs::path& folder) {
  std::error_code code;
  const fs::path start = fs::weakly_canonical(folder, code);
  for (fs::path at = start; at.has_relative_path(); at = at.parent_path())
    if (fs::exists(at / ".git", code)) return at;
  return start;
}

std::vector<std::string> own_folders(const fs::path& root) {
  std::error_code code;
  std::vector<std::string> found;
  const auto add = [&](const fs::path& path) {
    const fs::path real = fs::weakly_canonical(path, code);
    if (!code && real.has_relative_path()) found.push_back(real.string());
    return real;
  };
  add(root / ".harness");
  add(root / ".git");
  if (!fs::is_regular_file(root / ".git", code)) return found;
  constexpr std::string_view mark = "gitdir:";
  const auto text = read_file(root / ".git");
  if (!text || !text->starts_with(mark)) return found;
  const fs::path own =
      fs::path(root / fs::path(std::string(trim(text->substr(mark.size()))))).lexically_normal();
  add(own);
  // The folder that worktrees share may hold worktrees, too: only git's own files in it are meant.
  if (const auto common = read_file(own / "commondir"))
    for (const char* name :
         {"HEAD", "config", "index", "info", "logs", "objects", "packed-refs", "refs", "worktrees"})
      add(own / fs::path(std::string(trim(*common))) / name);
  std::erase_if(found,
                [&](const std::string& one) { return is_below(fs::weakly_canonical(root).string(), one); });
  return found;
}

}  // namespace harness
