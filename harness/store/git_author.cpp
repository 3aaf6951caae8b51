#include "harness/store/git_author.h"

#include <fmt/format.h>

#include "harness/base/process.h"
#include "harness/base/text.h"

namespace harness {

Status check_author(const std::filesystem::path& folder, const std::string& author) {
  const Result<Output> said = run_command({{"git", "var", "GIT_AUTHOR_IDENT"}, folder, {}});
  if (!said || !said->exit.ok()) return {};
  // Ann Example <ann@example.org> 1767225600 +0000
  const std::string& line = said->out;
  const std::size_t open = line.find(" <"), close = line.find('>', open);
  if (open == std::string::npos || close == std::string::npos) return {};
  const std::string name = line.substr(0, open), address = line.substr(open + 2, close - open - 2);
  const std::string given = to_lower(trim(author));
  for (const std::string& known : {name, address, line.substr(0, close + 1)})
    if (given == to_lower(known)) return {};
  return fail(
      ErrorKind::usage,
      fmt::format("--author: git names `{}` here, not `{}`", printable(name), printable(author)),
      fmt::format("whoever approves a baseline promotes and commits it: --author {}", shell_quoted(name)));
}

}  // namespace harness
