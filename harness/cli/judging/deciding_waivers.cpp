#include "harness/cli/judging/deciding_waivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "harness/store/git.h"
#include "harness/suite/waivers.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

// A waivers file in its repository.
struct TrackedFile {
  fs::path root;
  std::string path;  // relative to the root
};

std::optional<TrackedFile> tracked(const std::string& file) {
  std::error_code code;
  const fs::path folder = fs::weakly_canonical(fs::absolute(file).parent_path(), code);
  const std::optional<fs::path> root = repository_root(folder);
  if (!root) return std::nullopt;
  const fs::path name = fs::path(file).filename();
  return TrackedFile{*root, (folder / name).lexically_relative(fs::canonical(*root, code)).string()};
}

// As a commit has it; none where it has no such file.
Result<std::vector<Waiver>> waivers_at(const TrackedFile& file, const std::string& commit) {
  const Result<std::string> text = file_at(file.root, commit, file.path);
  if (!text && text.error().kind == ErrorKind::missing) return std::vector<Waiver>{};
  if (!text) return fail(text.error());
  Checked<std::vector<Waiver>> waivers =
      parse_waivers(*text, fmt::format("{} at {}", file.path, commit.substr(0, 10)));
  if (!waivers) return fail(waivers.error().front());
  return std::move(*waivers);
}

bool same_place(const Waiver& one, const Waiver& other) {
  return one.pattern == other.pattern && one.metric == other.metric;
}

// Whether two waivers cover the same, whatever their reasons.
bool same_reach(const Waiver& one, const Waiver& other) {
  return same_place(one, other) && one.ceiling == other.ceiling && one.expires == other.expires &&
         one.undecided == other.undecided;
}

bool same_reach(const std::vector<Waiver>& one, const std::vector<Waiver>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Waiver& a, const Waiver& b) { return same_reach(a, b); });
}

Waiver stricter(const Waiver& own, const Waiver& other) {
  Waiver both = own;
  both.ceiling = std::min(own.ceiling, other.ceiling);
  both.expires = std::min(own.expires, other.expires);  // year-month-day sorts as text
  both.undecided = own.undecided && other.undecided;
  return both;
}

// The deciding waivers, and those that the change proposes.
std::vector<Waiver> split_waivers(const std::vector<Waiver>& own, const std::vector<Waiver>& trusted,
                                  bool accept_proposed) {
  std::vector<Waiver> split;
  for (const Waiver& one : own) {
    const auto before = std::find_if(trusted.begin(), trusted.end(),
                                     [&](const Waiver& other) { return same_place(one, other); });
    Waiver proposed = one;
    proposed.proposed = before == trusted.end() || !same_reach(stricter(one, *before), one);
    if (before != trusted.end() && !accept_proposed) split.push_back(stricter(one, *before));
    if (proposed.proposed || accept_proposed) split.push_back(std::move(proposed));
  }
  return split;
}

// The commit that the user's revision and the current side share; "" where no revision was named.
std::string fork_of(const TrackedFile& file, const RecordSource& baseline, const RecordSource& current) {
  const std::string name = baseline.found.text("name");
  const bool revision =
      baseline.found.code == SourceCode::ancestor || baseline.found.code == SourceCode::pinned;
  if (!revision || name.empty() || current.revision.commit.empty()) return {};
  const Result<std::string> tip = resolve_revision(file.root, name);
  if (!tip) return {};
  const std::string fork = merge_base(file.root, *tip, current.revision.commit).value_or("");
  return fork != current.revision.commit || current.revision.dirty ? fork : std::string();
}

// "" where this repository does not have it.
std::string commit_of_baseline(const TrackedFile& file, const RecordSource& baseline,
                               const RecordSource& current) {
  const std::string fork = fork_of(file, baseline, current);
  const std::string& commit = fork.empty() ? baseline.revision.commit : fork;
  if (commit.empty()) return {};
  return resolve_revision(file.root, commit).value_or("");
}

}  // namespace

Status decide_waivers(Policy& policy, const RecordSource& baseline, const RecordSource& current) {
  if (policy.waivers_file.empty()) return {};
  const std::optional<TrackedFile> file = tracked(policy.waivers_file);
  policy.waiver_trust = WaiverTrust::unversioned;
  if (!file) return {};
  std::vector<Waiver> own;
  if (const Result<std::string> head = resolve_revision(file->root, "HEAD")) {
    Result<std::vector<Waiver>> committed = waivers_at(*file, *head);
    if (committed) own = std::move(*committed);
  }
  policy.waivers_uncommitted = !same_reach(own, policy.waivers);
  for (Waiver& one : own) one.where.file = policy.waivers_file;
  std::vector<Waiver> trusted;
  policy.waivers_commit = commit_of_baseline(*file, baseline, current);
  policy.waiver_trust = policy.waivers_commit.empty() ? WaiverTrust::no_baseline : WaiverTrust::baseline;
  if (!policy.waivers_commit.empty()) {
    Result<std::vector<Waiver>> found = waivers_at(*file, policy.waivers_commit);
    if (!found)
      return fail(found.error().kind, found.error().where, found.error().message,
                  "the baseline's waivers decide; pass --no-waivers, or compare with a later baseline");
    trusted = std::move(*found);
  }
  policy.waivers = split_waivers(own, trusted, policy.accept_proposed);
  return {};
}

}  // namespace harness
