#include "harness/report/words/source_words.h"

#include <fmt/format.h>

#include <vector>

#include "harness/base/text.h"

namespace harness::report {
namespace {

using Found = Fact<SourceCode>;

std::string short_commit(const std::string& commit) {
  return commit.substr(0, 10);
}

// "merge base of main and 89abcdef01", "main".
std::string start_words(const Found& found) {
  const std::string name = printable(found.text("name")), fork = found.text("fork");
  return fork.empty() ? name : fmt::format("merge base of {} and {}", name, short_commit(fork));
}

// How the changes that a record measured relate to those of the tree now.
std::string changes_words(const Found& found) {
  const std::string changes = found.text("changes");
  if (changes == "same") return ", with uncommitted changes";
  if (changes == "unknown") return ", with uncommitted changes, perhaps other than the tree has now";
  if (changes == "other") return ", measured with other uncommitted changes than the tree has now";
  return {};
}

std::string passed_over_words(const Found& found) {
  const std::int64_t count = found.count("passed_over");
  if (count == 0) return {};
  std::vector<std::string> why;
  if (found.count("regressed") != 0) why.emplace_back("regressed");
  if (found.count("failed") != 0) why.emplace_back("failed");
  if (found.count("undecided") != 0) why.emplace_back("could not be decided");
  if (found.count("incomplete") != 0)
    why.emplace_back(fmt::format("{} fewer samples than the suite asks for", count == 1 ? "has" : "have"));
  const std::string reasons = join(why, " or ");
  if (count == 1) return fmt::format("; 1 nearer record was passed over: it {}", reasons);
  return fmt::format("; {} nearer records were passed over: they {}", count, reasons);
}

// "; samples of 10 records, 50 processes a case".
std::string pool_words(const Found& found) {
  const std::int64_t records = found.count("pooled");
  if (records == 0) return {};
  const std::int64_t least = found.count("least"), most = found.count("most");
  const std::string processes =
      least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
  return fmt::format("; samples of {} records, {} processes a case", records, processes);
}

std::string ancestor_words(const RecordSource& source) {
  const std::string hash = short_commit(source.revision.commit);
  if (source.distance == 0) return fmt::format("{} ({})", hash, start_words(source.found));
  return fmt::format("{} ({} commit{} before the {})", hash, source.distance, source.distance == 1 ? "" : "s",
                     start_words(source.found));
}

std::string record_words(const RecordSource& source) {
  const std::string name = source.found.text("name");
  std::string text =
      fmt::format("record {}{}", name.empty() ? "" : printable(name) + ", ", printable(source.id));
  if (!source.revision.commit.empty())
    text += fmt::format(" of {}{}", short_commit(source.revision.commit),
                        source.revision.dirty ? " with uncommitted changes" : "");
  return text;
}

std::string place_words(const RecordSource& source) {
  const Found& found = source.found;
  switch (found.code) {
    case SourceCode::none: return found.count("first") != 0 ? "none yet" : "none";
    case SourceCode::this_run: return "this run";
    case SourceCode::file: return "file " + printable(found.text("path"));
    case SourceCode::record: return record_words(source);
    case SourceCode::revision:
      return fmt::format("{} ({}{})", short_commit(source.revision.commit), printable(found.text("name")),
                         changes_words(found));
    case SourceCode::ancestor: return ancestor_words(source);
    case SourceCode::pinned:
      return fmt::format("pinned {} at {} ({})", printable(found.text("path")),
                         short_commit(found.text("commit")), start_words(found));
    case SourceCode::ab_commit:
      return fmt::format("{} ({}), record {}", short_commit(source.revision.commit), start_words(found),
                         source.id.substr(0, 8));
    case SourceCode::ab_command:
      return fmt::format("{}, record {}", printable(found.text("command")), source.id.substr(0, 8));
    case SourceCode::ab_build:
      return fmt::format("build {}, record {}", printable(found.text("folder")), source.id.substr(0, 8));
  }
  return "?";
}

}  // namespace

std::string words(const RecordSource& source) {
  std::string text = place_words(source);
  if (source.found.count("unfinished") != 0) text += " (unfinished)";
  if (source.found.count("no_samples") != 0) text += "; " + std::string(pin_without_samples);
  text += pool_words(source.found);
  text += passed_over_words(source.found);
  if (const std::string error = source.found.text("pin_error"); !error.empty())
    text += "; the file pinned there cannot be read: " + error;
  return text;
}

}  // namespace harness::report
