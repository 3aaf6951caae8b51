#include "harness/cli/declared/deciding_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/store/git.h"
#include "harness/suite/yaml/errors.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr const char* file_name = ".harness.yaml";
constexpr std::size_t largest_file = 1 << 20;

// "" where the words do not have the option, or no value for it.
std::string value_of(const std::vector<std::string>& words, const std::string& option) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with(option + "=")) return words[i].substr(option.size() + 1);
    if (words[i] == option && i + 1 < words.size()) return words[i + 1];
  }
  return {};
}

// The commit whose file counts in CI.
Result<std::string> deciding_commit(const std::vector<std::string>& words) {
  Result<std::string> head = resolve_revision(".", "HEAD");
  if (!head) return head;
  for (const std::string& name :
       {value_of(words, "--against"), value_of(words, "--baseline"), environment::target_of_change()})
    if (const auto commit = name.empty() ? Result<std::string>("") : resolve_revision(".", name);
        commit && !commit->empty())
      return merge_base(".", *commit, *head);
  // A change whose target is not here has no file that could count.
  if (const std::string target = environment::target_of_change(); !target.empty())
    return fail(resolve_revision(".", target).error());
  return head;
}

std::string words_between(const DefaultedLine& line, const DefaultedLine& without) {
  std::vector<std::string> more;
  for (const DefaultOption& one : line.defaults)
    for (const std::string& word : one.words)
      if (std::none_of(without.defaults.begin(), without.defaults.end(), [&](const DefaultOption& other) {
            return std::find(other.words.begin(), other.words.end(), word) != other.words.end();
          }))
        more.push_back(in_ticks(word));
  return more.empty() ? "nothing" : join(more, ", ");
}

// The line with the defaults that count in CI. `own`: that with the tree's own file, nullopt where it has
// none.
DefaultedLine decided(const CLI::App& program, const DefaultedLine& plain,
                      const std::optional<DefaultedLine>& own, const DefaultsFile& file) {
  const Result<std::string> commit = deciding_commit(plain.given);
  const Result<std::string> text = commit ? file_at(file.top, *commit, file_name) : fail(commit.error());
  DefaultedLine line = plain;
  if (!text && text.error().kind != ErrorKind::missing) {
    // Without the tree's own, the change may have removed it.
    line.notes.push_back(
        own ? fmt::format("warning: {} does not count: {}", file_name, text.error().text())
            : fmt::format("warning: whether a {} of an earlier commit counts is not known: {}", file_name,
                          text.error().text()));
    return line;
  }
  if (!text && !own) return line;
  const std::string place = fmt::format("{} at {}", file_name, commit->substr(0, 10));
  if (text) {
    const Checked<DefaultedLine> before = with_defaults(program, plain.given, {*text, place, file.top});
    if (before)
      line = *before;
    else  // Else no change could repair it.
      line.notes.push_back(
          fmt::format("warning: {} does not count: {}", place, before.error().front().text()));
  }
  if (!text || *text != file.text)
    line.notes.push_back(fmt::format("{} counts in CI, not that of the tree, which adds {} and leaves out {}",
                                     text ? place : fmt::format("{}, which has no {},", *commit, file_name),
                                     words_between(own.value_or(plain), line),
                                     words_between(line, own.value_or(plain))));
  return line;
}

// The line with the defaults of the repository that holds the current folder.
Checked<DefaultedLine> of_repository(const CLI::App& program, const std::vector<std::string>& words) {
  const DefaultedLine plain{{}, {}, words, {}};
  const std::optional<fs::path> top = top_of_tree();
  if (!top) return plain;
  std::error_code code;
  DefaultsFile file{{}, (*top / file_name).string(), *top};
  std::optional<DefaultedLine> own;
  if (fs::exists(*top / file_name, code)) {
    Result<std::string> text = read_file(file.name, largest_file);
    if (!text) return fail_checked(text.error());
    file.text = std::move(*text);
    Checked<DefaultedLine> line = with_defaults(program, words, file);
    if (!line) return line;
    own = std::move(*line);
  }
  if (environment::in_ci()) return decided(program, plain, own, file);
  return own.value_or(plain);
}

std::string option_of(const DefaultOption& one) {
  return one.words.empty() ? std::string() : one.words.front().substr(0, one.words.front().find('='));
}

// The user's line with the repository's defaults in the place of its own.
DefaultedLine joined(DefaultedLine user, DefaultedLine repository) {
  std::erase_if(user.defaults, [&](const DefaultOption& one) {
    return std::any_of(repository.defaults.begin(), repository.defaults.end(),
                       [&](const DefaultOption& other) { return option_of(other) == option_of(one); });
  });
  for (DefaultOption& one : repository.defaults) user.defaults.push_back(std::move(one));
  user.notes = std::move(repository.notes);
  return user;
}

}  // namespace

Checked<DefaultedLine> with_deciding_defaults(const CLI::App& program,
                                              const std::vector<std::string>& words) {
  if (environment::has_no_defaults() || !names_command(program, words))
    return DefaultedLine{{}, {}, words, {}};
  Checked<DefaultedLine> line = of_repository(program, words);
  const std::string file = environment::defaults_file();
  if (!line || file.empty()) return line;
  Result<std::string> text = read_file(file, largest_file);
  if (!text) return fail_checked(text.error());
  Checked<DefaultedLine> user = with_defaults(program, words, {std::move(*text), file, {}, true});
  if (!user) return user;
  return joined(std::move(*user), std::move(*line));
}

}  // namespace harness
