#include "harness/store/git.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view deepen =
    "this clone is shallow: run `git fetch --unshallow`, or check out with `fetch-depth: 0` "
    "(actions/checkout)";

// Arguments are passed as they are, never through a shell. The index is not locked, so that measuring
// in one terminal does not disturb a commit in another.
Result<Output> git(const fs::path& folder, std::vector<std::string> arguments) {
  Command command;
  command.argv = {"git", "--no-optional-locks"};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.folder = folder;
  command.environment = {{"LC_ALL", "C"}, {"GIT_TERMINAL_PROMPT", "0"}, {"GIT_PAGER", "cat"}, {"TZ", "UTC"}};
  return run_command(command);
}

// The output of git without the last newline; nullopt when it failed.
std::optional<std::string> git_line(const fs::path& folder, std::vector<std::string> arguments) {
  const Result<Output> output = git(folder, std::move(arguments));
  if (!output || !output->exit.ok()) return std::nullopt;
  return std::string(trim(output->out));
}

// The first line of git's complaint, without "fatal: ".
std::string complaint(const Output& output) {
  std::string line = split(trim(output.err), '\n').front();
  if (line.starts_with("fatal: ")) line.erase(0, 7);
  return line.empty() ? output.exit.text() : printable(line);
}

bool is_hash(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::optional<std::string> commit_named(const fs::path& folder, const std::string& name) {
  auto hash = git_line(folder, {"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  if (hash && !is_hash(*hash)) return std::nullopt;
  return hash;
}

Error unknown_revision(const fs::path& folder, const std::string& name) {
  Error error{ErrorKind::usage, fmt::format("unknown revision `{}`", printable(name)), {}, {}};
  const auto refs = git_line(
      folder, {"for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes"});
  std::vector<std::string> known = refs && !refs->empty() ? split(*refs, '\n') : std::vector<std::string>{};
  if (!known.empty()) known.emplace_back("HEAD");
  error.advice = suggestion(name, known);
  if (is_shallow(folder)) error.advice += (error.advice.empty() ? "" : "; ") + std::string(deepen);
  return error;
}

}  // namespace

Status check_repository(const fs::path& folder) {
  const Result<Output> output = git(folder, {"rev-parse", "--git-dir"});
  if (!output) return fail(ErrorKind::environment, output.error().message, "install git");
  if (output->exit.ok()) return {};
  if (output->err.find("not a git repository") != std::string::npos)
    return fail(ErrorKind::usage,
                fmt::format("{} is in no git repository, so a revision names nothing there",
                            printable(fs::absolute(folder).lexically_normal().string())),
                "go into the repository, or name a record file or a record's id instead of the revision");
  std::string advice;
  if (output->err.find("dubious ownership") != std::string::npos)
    advice = fmt::format("git config --global --add safe.directory {}",
                         shell_quoted(fs::absolute(folder).lexically_normal().string()));
  return fail(ErrorKind::usage, Location{folder.string()}, "git: " + complaint(*output), advice);
}

namespace {

// In the difference of a submodule with changes that are not committed there.
constexpr std::string_view changed_submodule = "-dirty\n";

// A hash of the tracked changes in `paths`, the same for the same changes whatever the user's settings;
// "" when git cannot say, as of changes within a submodule.
std::string hash_of_changes(const fs::path& folder, const std::vector<std::string>& paths) {
  std::vector<std::string> arguments{"diff",
                                     "HEAD",
                                     "--binary",
                                     "--full-index",
                                     "--no-color",
                                     "--no-renames",
                                     "--no-ext-diff",
                                     "--no-textconv",
                                     "--no-relative",
                                     "--ignore-submodules=untracked",
                                     "--unified=3",
                                     "--diff-algorithm=myers",
                                     "--src-prefix=a/",
                                     "--dst-prefix=b/",
                                     "--"};
  arguments.insert(arguments.end(), paths.begin(), paths.end());
  const Result<Output> output = git(folder, std::move(arguments));
  const bool told = output && output->exit.ok() && output->out.find(changed_submodule) == std::string::npos;
  return told ? content_hash(output->out) : "";
}

}  // namespace

Revision head_revision(const fs::path& folder) {
  Revision revision;
  const auto commit = commit_named(folder, "HEAD");
  if (!commit) return revision;
  revision.commit = *commit;
  revision.branch = git_line(folder, {"symbolic-ref", "--quiet", "--short", "HEAD"}).value_or("");
  const std::vector<std::string> paths{":(top)", ":(top,exclude).harness", ":(exclude).harness"};
  std::vector<std::string> arguments{"status", "--porcelain", "--untracked-files=no",
                                     "--ignore-submodules=untracked", "--"};
  arguments.insert(arguments.end(), paths.begin(), paths.end());
  const auto changes = git_line(folder, std::move(arguments));
  revision.dirty = !changes || !changes->empty();  // unknown counts as dirty
  if (revision.dirty) revision.changes = hash_of_changes(folder, paths);
  return revision;
}

namespace {

// The commit of each reference that `name` may mean: a tag, a branch here or one of a remote.
std::map<std::string, std::string> references_of(const fs::path& folder, const std::string& name) {
  const std::vector<std::string> whole{"refs/tags/" + name, "refs/heads/" + name, "refs/remotes/" + name,
                                       "refs/remotes/origin/" + name};
  std::vector<std::string> arguments{"for-each-ref", "--format=%(refname) %(objectname) %(*objectname)"};
  arguments.insert(arguments.end(), whole.begin(), whole.end());
  std::map<std::string, std::string> found;
  for (const std::string& line : split(git_line(folder, std::move(arguments)).value_or(""), '\n')) {
    const std::vector<std::string> words = split(trim(line), ' ');  // the last one is the commit of a tag
    if (std::find(whole.begin(), whole.end(), words.front()) != whole.end())
      found.emplace(words.front(), words.back());
  }
  return found;
}

// An error where `name` is a tag, and also a branch at another commit: git takes the tag, and people mean the
// branch.
Status check_unambiguous(const fs::path& folder, const std::string& name) {
  const std::string plain = name.substr(0, name.find_first_of("~^:@"));
  if (plain.empty() || plain.starts_with("refs/") || is_hash(plain)) return {};
  const std::map<std::string, std::string> all = references_of(folder, plain);
  const auto tag = all.find("refs/tags/" + plain);
  if (tag == all.end()) return {};
  for (const auto& [branch, commit] : all)
    if (commit != tag->second)
      return fail(ErrorKind::usage,
                  fmt::format("`{}` is a tag at {} and a branch at {}", plain, tag->second.substr(0, 10),
                              commit.substr(0, 10)),
                  fmt::format("name `{}` or `{}`", branch, tag->first));
  return {};
}

}  // namespace

Result<std::string> resolve_revision(const fs::path& folder, const std::string& name) {
  const bool sane = !name.empty() && name.front() != '-' && printable(name) == name;
  if (const Status one = sane ? check_unambiguous(folder, name) : Status(); !one) return fail(one.error());
  // A fresh CI checkout has the target branch only as origin/main.
  for (const std::string& spelled : {name, "refs/remotes/origin/" + name})
    if (const auto hash = sane ? commit_named(folder, spelled) : std::nullopt) return *hash;
  if (const Status repository = check_repository(folder); !repository) return fail(repository.error());
  return fail(unknown_revision(folder, name));
}

Result<std::string> commit_of_option(const char* option, const std::string& name) {
  Result<std::string> commit = resolve_revision(".", name);
  if (commit) return commit;
  return fail(commit.error().kind, fmt::format("{}: {}", option, commit.error().message),
              commit.error().advice);
}

Result<std::string> merge_base(const fs::path& folder, const std::string& a, const std::string& b) {
  const Result<Output> output = git(folder, {"merge-base", "--end-of-options", a, b});
  if (!output) return fail(output.error());
  const std::string hash(trim(output->out));
  if (output->exit.ok() && is_hash(hash)) return hash;
  if (is_shallow(folder))
    return fail(
        ErrorKind::usage,
        fmt::format("the merge base of {} and {} is not in this clone", a.substr(0, 10), b.substr(0, 10)),
        std::string(deepen));
  if (output->exit.code == 1)
    return fail(ErrorKind::usage,
                fmt::format("{} and {} have no common ancestor", a.substr(0, 10), b.substr(0, 10)),
                "name a revision of the same history, or a record file");
  return fail(ErrorKind::usage, "git: " + complaint(*output));
}

Result<std::vector<Ancestor>> ancestors(const fs::path& folder, const std::string& commit, int limit) {
  const Result<Output> output =
      git(folder, {"rev-list", "--topo-order", "--parents", fmt::format("--max-count={}", 4 * limit),
                   "--end-of-options", commit, "--"});
  if (!output) return fail(output.error());
  if (!output->exit.ok()) return fail(ErrorKind::usage, "git: " + complaint(*output));
  std::unordered_map<std::string, std::vector<std::string>> parents;
  std::string start;
  for (const std::string& line : split(trim(output->out), '\n')) {
    std::vector<std::string> hashes = split(line, ' ');
    if (start.empty()) start = hashes.front();
    parents[hashes.front()].assign(hashes.begin() + 1, hashes.end());
  }
  // Breadth first; the queue keeps first parents before others at equal distance.
  std::vector<Ancestor> found;
  std::deque<Ancestor> queue{{start, 0}};
  std::unordered_set<std::string> seen{start};
  while (!queue.empty() && found.size() < static_cast<std::size_t>(limit)) {
    found.push_back(queue.front());
    queue.pop_front();
    const auto known = parents.find(found.back().commit);
    if (known == parents.end()) continue;
    for (const std::string& parent : known->second)
      if (seen.insert(parent).second) queue.push_back({parent, found.back().distance + 1});
  }
  return found;
}

Result<std::vector<Commit>> first_parents(const fs::path& folder, const std::string& commit, int limit) {
  const Result<Output> output =
      git(folder, {"log", "--first-parent", "--no-show-signature", "--no-color", "--no-notes", "-z",
                   "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%H%n%cd%n%an%n%s",
                   fmt::format("--max-count={}", limit), "--end-of-options", commit, "--"});
  if (!output) return fail(output.error());
  if (!output->exit.ok()) return fail(ErrorKind::usage, "git: " + complaint(*output));
  std::vector<Commit> commits;
  for (const std::string& entry : split(output->out, '\0')) {
    std::vector<std::string> lines = split(entry, '\n');
    lines.resize(4);
    if (is_hash(lines[0])) commits.push_back({lines[0], lines[1], lines[2], lines[3]});
  }
  return commits;
}

bool is_shallow(const fs::path& folder) {
  return git_line(folder, {"rev-parse", "--is-shallow-repository"}) == "true";
}

Result<std::string> file_at(const fs::path& folder, const std::string& commit, const std::string& path) {
  if (!is_hash(commit))
    return fail(ErrorKind::internal, fmt::format("`{}` is no commit id", printable(commit)));
  const Result<Output> output = git(folder, {"cat-file", "blob", commit + ":" + path});
  if (!output) return fail(output.error());
  if (output->exit.ok()) return output->out;
  const bool absent = output->err.find("does not exist") != std::string::npos ||
                      output->err.find("exists on disk, but not in") != std::string::npos;
  return fail(absent ? ErrorKind::missing : ErrorKind::environment,
              fmt::format("{} at {}: {}", printable(path), commit.substr(0, 10), complaint(*output)));
}

Result<std::string> files_of_commit(const fs::path& folder, const std::string& commit,
                                    const std::vector<std::string>& paths) {
  if (!is_hash(commit))
    return fail(ErrorKind::internal, fmt::format("`{}` is no commit id", printable(commit)));
  std::vector<std::string> arguments{"ls-tree", "-r", commit, "--"};
  arguments.insert(arguments.end(), paths.begin(), paths.end());
  const Result<Output> output = git(folder, std::move(arguments));
  if (!output) return fail(output.error());
  if (output->exit.ok()) return output->out;
  return fail(ErrorKind::environment, "git: " + complaint(*output));
}

namespace {

// The names that a command of git tells, whatever characters they have.
std::vector<std::string> names_by(const fs::path& folder, const std::string& command,
                                  std::vector<std::string> options, const std::vector<std::string>& paths) {
  options.insert(options.begin(), {command, "-z", "--full-name"});
  options.emplace_back("--");
  options.insert(options.end(), paths.begin(), paths.end());
  const Result<Output> output = git(folder, std::move(options));
  std::vector<std::string> names;
  if (!output || !output->exit.ok()) return names;
  for (std::string& name : split(output->out, '\0'))
    if (!name.empty()) names.push_back(std::move(name));
  return names;
}

}  // namespace

std::vector<std::string> tracked_files(const fs::path& folder, const std::vector<std::string>& patterns) {
  return names_by(folder, "ls-files", {}, patterns);
}

std::vector<std::string> tracked_files_with(const fs::path& folder, const std::vector<std::string>& words,
                                            const std::vector<std::string>& patterns) {
  std::vector<std::string> options{"--files-with-matches", "--fixed-strings"};
  for (const std::string& word : words) {
    if (options.size() > 2) options.emplace_back("--and");
    options.insert(options.end(), {"-e", word});
  }
  return names_by(folder, "grep", std::move(options), patterns);
}

std::vector<std::string> unseen_files(const fs::path& folder) {
  std::vector<std::string> unseen;
  for (const std::string& line : names_by(folder, "ls-files", {"-v"}, {":(top)"}))
    if (line.size() > 2 && (line[0] == 'S' || (line[0] >= 'a' && line[0] <= 'z')))
      unseen.push_back(line.substr(2));
  return unseen;
}

std::vector<std::string> untracked_files(const fs::path& folder, const std::vector<std::string>& paths) {
  return names_by(folder, "ls-files", {"--others", "--exclude-standard"}, paths);
}

bool has_changes(const fs::path& folder, const std::vector<std::string>& paths) {
  std::vector<std::string> arguments{"status", "--porcelain", "--"};
  arguments.insert(arguments.end(), paths.begin(), paths.end());
  const auto changes = git_line(folder, std::move(arguments));
  return !changes || !changes->empty();
}

std::optional<fs::path> top_of_tree() {
  std::error_code code;
  const fs::path here = fs::current_path(code);
  for (fs::path folder = here; !folder.empty(); folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", code)) return folder.lexically_relative(here);
    if (folder == folder.root_path()) break;
  }
  return std::nullopt;
}

// The `.git` of a linked worktree is a file that names its part of the main one, which names the whole
// (gitrepository-layout(5)).
std::optional<fs::path> top_of_main_tree() {
  const std::optional<fs::path> top = top_of_tree();
  constexpr std::string_view mark = "gitdir: ";
  std::error_code code;
  if (!top || !fs::is_regular_file(*top / ".git", code)) return top;
  const std::string link = system_file(*top / ".git");
  if (!link.starts_with(mark)) return top;
  const fs::path own = *top / link.substr(mark.size());
  const std::string common = system_file(own / "commondir");
  if (common.empty()) return top;  // a submodule
  const fs::path whole = (own / common).lexically_normal();
  const fs::path main_tree = (whole.has_filename() ? whole : whole.parent_path()).parent_path();
  if (!fs::exists(main_tree / ".git", code)) return top;  // a bare repository
  return main_tree.is_absolute() ? main_tree.lexically_relative(fs::current_path(code)) : main_tree;
}

std::optional<fs::path> repository_root(const fs::path& folder) {
  const auto root = git_line(folder, {"rev-parse", "--show-toplevel"});
  if (!root || root->empty()) return std::nullopt;
  return fs::path(*root);
}

std::string repository_name(const fs::path& folder) {
  if (const auto origin = git_line(folder, {"config", "--get", "remote.origin.url"});
      origin && !origin->empty())
    return *origin;
  return repository_root(folder).value_or("").string();
}

}  // namespace harness
