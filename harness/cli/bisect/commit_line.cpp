#include "harness/cli/bisect/commit_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"

namespace harness {
namespace {

constexpr int most_between = 100'000;  // between good and bad

}  // namespace

Result<std::vector<Commit>> commit_line(const std::string& good, const std::string& bad) {
  const Result<std::string> from = commit_of_option("--good", good);
  if (!from) return fail(from.error());
  const Result<std::string> to = commit_of_option("--bad", bad);
  if (!to) return fail(to.error());
  if (*from == *to)
    return fail(ErrorKind::usage, "--good and --bad are one commit", "name an older good one");
  auto line = first_parents(".", *to, most_between);
  if (!line) return fail(line.error());
  const auto found =
      std::find_if(line->begin(), line->end(), [&](const Commit& one) { return one.hash == *from; });
  if (found == line->end())
    return fail(
        ErrorKind::usage,
        fmt::format("--good {} is not among the first parents of {}", printable(good), printable(bad)),
        is_shallow(".") ? "this clone is shallow: run `git fetch --unshallow`"
                        : "name a commit of the same branch; inside a merge M: --good M^1 --bad M^2");
  line->erase(found + 1, line->end());
  std::reverse(line->begin(), line->end());
  return line;
}

}  // namespace harness
