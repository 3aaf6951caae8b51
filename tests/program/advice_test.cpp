// Follows the advice that the program gives: commands go through the parser of the command line without
// running, keys and settings through the suite's loader. Advice with figures is made with extreme ones.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <regex>
#include <set>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/model/results/comparison.h"
#include "harness/report/documents.h"
#include "harness/report/words/diagnostic_words.h"
#include "harness/report/words/note_words.h"
#include "harness/report/words/policy_words.h"
#include "harness/report/words/reason_words.h"
#include "harness/suite/load_suite.h"
#include "harness/suite/setting_keys.h"
#include "harness/suite/waivers.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using report::advice_words;
using report::reason_words;
using report::words;

// As a shell splits a command: at spaces outside quotes.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool any = false;
  for (const char c : command) {
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      any = true;
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && c == ' ') {
      if (any || !word.empty()) words.push_back(std::move(word));
      word.clear();
      any = false;
    } else {
      word += c;
    }
  }
  if (any || !word.empty()) words.push_back(std::move(word));
  return words;
}

bool only_names_command(const CLI::App& program, const std::vector<std::string>& words) {
  const CLI::App* app = &program;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::vector<const CLI::App*> below =
        app->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == words[i]; });
    if (below.empty()) return false;
    app = below.front();
  }
  return true;
}

// The parser's complaint about a command, or "". A command by its name alone, such as `harness ab`, need only
// exist.
std::string complaint(const std::string& command) {
  CLI::App program{"", "harness"};
  program.require_subcommand(1);
  Action chosen;
  Commands commands(program, chosen);
  add_all_commands(commands);
  std::vector<std::string> words = words_of(command);
  if (only_names_command(program, words)) return {};
  words.erase(words.begin());
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    program.parse(words);
  } catch (const CLI::Success&) {
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return {};
}

bool has_option(const CLI::App& app, const std::string& name) {
  const std::vector<const CLI::App*> below = app.get_subcommands([](const CLI::App*) { return true; });
  return app.get_option_no_throw(name) != nullptr ||
         std::any_of(below.begin(), below.end(), [&](const CLI::App* sub) { return has_option(*sub, name); });
}

bool some_command_has(const std::string& option) {
  CLI::App program{"", "harness"};
  Action chosen;
  Commands commands(program, chosen);
  add_all_commands(commands);
  return has_option(program, option);
}

bool is_key(const std::string& name) {
  return suite_schema().find("\"" + name + "\":") != std::string::npos ||
         waivers_schema().find("\"" + name + "\":") != std::string::npos;
}

bool loads(const std::string& line) {
  return parse_suite("version: 2\nname: s\ncases:\n  - workload: w\n    variants: [v]\n    " + line + "\n",
                     "s.yaml")
      .has_value();
}

// Whether a suite takes a setting as the advice writes it: "gate: {margin: 5%}", "timing: batch", "preheat",
// or the place of a key, "sampling: processes".
bool is_setting(const std::string& text) {
  if (is_key(text)) return true;
  if (loads(text) || loads("sampling: {" + text + "}") || loads("gate: {" + text + "}")) return true;
  const std::size_t colon = text.find(": ");
  return colon != std::string::npos && is_key(text.substr(0, colon)) && is_key(text.substr(colon + 2));
}

// All that stands between backticks.
std::vector<std::string> quoted_in(const std::string& text) {
  std::vector<std::string> parts = split(text, '`'), quoted;
  for (std::size_t i = 1; i + 1 < parts.size(); i += 2) quoted.push_back(parts[i]);
  return quoted;
}

const std::string some_name = "some_name";  // of a case, a metric, a kernel

void follow(const std::string& advice) {
  for (const std::string& quoted : quoted_in(advice)) {
    if (quoted.find(some_name) != std::string::npos) continue;
    if (quoted.starts_with("git ") || quoted.starts_with("cmake ")) continue;
    if (quoted.starts_with("harness "))
      EXPECT_EQ(complaint(quoted), "") << advice;
    else if (quoted.starts_with("--"))
      EXPECT_TRUE(some_command_has(words_of(quoted).front())) << quoted << ": " << advice;
    else
      EXPECT_TRUE(is_setting(quoted)) << quoted << ": " << advice;
  }
}

// The figures that any fact may have, each with the same value. `options`: a text that some facts take from a
// short list.
Figures all_figures(double value, const std::string& option) {
  Figures figures;
  const bool whole = value == std::floor(value);
  for (const char* name : {"after",
                           "alpha",
                           "baseline",
                           "batched_us",
                           "budget",
                           "cache",
                           "call_us",
                           "calls",
                           "ceiling",
                           "change",
                           "clock_ghz",
                           "counted_alpha",
                           "counted_margin",
                           "count",
                           "current",
                           "cycles",
                           "days",
                           "deadline",
                           "declared",
                           "difference",
                           "events_us",
                           "first",
                           "gap",
                           "gap_us",
                           "groups",
                           "kernels_us",
                           "known",
                           "lag",
                           "launches",
                           "least",
                           "left_out",
                           "line",
                           "look",
                           "margin",
                           "max_time",
                           "most",
                           "moved",
                           "needed",
                           "of",
                           "off_line",
                           "pair_us",
                           "placements",
                           "process",
                           "processes",
                           "ratio",
                           "read",
                           "recommended",
                           "results",
                           "samples",
                           "sd",
                           "settled",
                           "share",
                           "shared",
                           "sets",
                           "step",
                           "step_us",
                           "throttled",
                           "tick_us",
                           "ticks",
                           "tolerance",
                           "us",
                           "value",
                           "widest",
                           "width",
                           "worst",
                           "written",
                           "cases",
                           "seconds",
                           "advise",
                           "informative"}) {
    if (whole)
      figures.emplace_back(name, static_cast<std::int64_t>(value));
    else
      figures.emplace_back(name, value);
  }
  for (const char* name :
       {"case", "counts", "counters", "expires", "file", "issue", "kernel", "kernels", "metric", "near",
        "pattern", "problem", "reason", "reasons", "reference", "text", "tool", "unit"})
    figures.emplace_back(name, some_name);
  for (const char* name : {"side", "bound", "how", "outcome"}) figures.emplace_back(name, option);
  return figures;
}

template <class Code, class Follow>
void with_extremes(const Follow& each) {
  for (const auto& [code, name] : enum_names<Code>)
    for (const double value : {0.0, 1e-9, 0.004, 0.3, 0.98, 0.991, 1.17, 50.0, 1000.0, 1200.0, 1e6})
      for (const char* option : {"both", "baseline", "current"})
        each(Fact<Code>{code, all_figures(value, option)});
}

TEST(Advice, OfEveryDiagnosticCanBeFollowed) {
  with_extremes<DiagnosticCode>([](const Diagnostic& diagnostic) { follow(words(diagnostic)); });
}

TEST(Advice, OfEveryNoteAndRemarkCanBeFollowed) {
  with_extremes<NoteCode>([](const Note& note) { follow(words(note)); });
  with_extremes<RemarkCode>([](const Remark& remark) { follow(words(remark)); });
  with_extremes<WaiverAdviceCode>([](const WaiverAdvice& advice) { follow(words(advice)); });
}

TEST(Advice, OfEveryReasonCanBeFollowed) {
  with_extremes<ReasonCode>([](const Reason& reason) {
    ComparisonRow row;
    row.case_id = row.metric = some_name;
    row.reason = reason;
    follow(reason_words(row));
    for (const std::string& advice : advice_words(row)) follow(advice);
  });
}

// A comparison that ends with one row of this verdict and reason.
Comparison ending_with(Verdict verdict, ReasonCode reason, std::optional<int> needed,
                       std::optional<Pairing::Kind> pairing) {
  Comparison comparison;
  comparison.suite = "s";
  comparison.baseline.id = "one";
  comparison.pairing = pairing;
  ComparisonRow row;
  row.case_id = row.metric = some_name;
  row.verdict = comparison.verdict = verdict;
  row.reason.code = reason;
  row.processes_needed = needed;
  comparison.rows = {std::move(row)};
  return comparison;
}

std::vector<std::string> steps_of(const Comparison& comparison) {
  return report::comparison_document(comparison).document.next_steps;
}

TEST(Advice, OfTheNextStepsCanBeFollowed) {
  for (const auto& [verdict, verdict_name] : enum_names<Verdict>)
    for (const auto& [reason, reason_name] : enum_names<ReasonCode>)
      for (const std::optional<int> needed : {std::optional<int>(), std::optional(7), std::optional(1200)})
        for (const std::string& step : steps_of(ending_with(verdict, reason, needed, std::nullopt)))
          follow(step);
}

TEST(Advice, DoesNotSendAnAbRunToAb) {
  for (const std::optional<int> needed : {std::optional<int>(), std::optional(7), std::optional(1200)})
    for (const auto kind : {Pairing::Kind::process, Pairing::Kind::session})
      for (const std::string& step :
           steps_of(ending_with(Verdict::inconclusive, ReasonCode::undecided, needed, kind)))
        EXPECT_EQ(step.find("harness ab"), std::string::npos) << step;
}

TEST(Advice, NeverAsksForMoreProcessesThanASuiteTakes) {
  for (const int needed : {5, 1000, 1001, 1200}) {
    const bool loaded = loads(fmt::format("sampling: {{processes: {}}}", needed));
    const std::string told = words(Diagnostic{DiagnosticCode::more_processes, {{"processes", needed}}});
    EXPECT_EQ(told.find(std::to_string(needed)) != std::string::npos, loaded) << told;
    for (const std::string& step :
         steps_of(ending_with(Verdict::inconclusive, ReasonCode::undecided, needed, {})))
      EXPECT_EQ(step.find(std::to_string(needed)) != std::string::npos, loaded) << step;
  }
}

// Adjacent literals of C++ are one text.
std::string joined_literals(const std::string& source) {
  static const std::regex seam("\"\\s*\n\\s*\"");
  return std::regex_replace(source, seam, "");
}

std::vector<fs::path> files_below(const std::vector<std::string>& folders, const std::string& ending) {
  std::vector<fs::path> files;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(HARNESS_SOURCE_DIR) / folder))
      if (entry.path().string().ends_with(ending)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Figures of a message are filled in: a number suits an option and a file as well.
std::string filled(const std::string& format) {
  static const std::regex place("\\{[^}]*\\}");
  return std::regex_replace(format, place, "7");
}

TEST(Advice, InMessagesNamesCommandsThatTheParserTakes) {
  std::size_t seen = 0;
  for (const fs::path& file : files_below({"harness"}, ".cpp"))
    for (const std::string& line : split(joined_literals(read_file(file).value()), '\n'))
      for (const std::string& quoted : quoted_in(line)) {
        if (!quoted.starts_with("harness ")) continue;
        ++seen;
        EXPECT_EQ(complaint(filled(quoted)), "") << file.string() << ": " << quoted;
      }
  EXPECT_GT(seen, 30u);
}

// The lines of documents that a reader types.
std::vector<std::string> typed_in(const std::string& document) {
  std::vector<std::string> commands;
  std::string line;
  for (std::string part : split(document, '\n')) {
    if (part.ends_with('\\')) {
      line += part.substr(0, part.size() - 1);
      continue;
    }
    line += part;
    const std::string command = line.substr(0, line.find_first_of("#|;&>"));
    if (line.starts_with("harness ") && line.find("...") == std::string::npos)
      commands.emplace_back(trim(command));
    line.clear();
  }
  return commands;
}

TEST(Advice, InDocumentsNamesCommandsThatTheParserTakes) {
  std::size_t seen = 0;
  for (const fs::path& file : files_below({"harness", "ci", "suites", "kernels", "manual"}, ".md"))
    for (const std::string& command : typed_in(read_file(file).value())) {
      ++seen;
      EXPECT_EQ(complaint(command), "") << file.string() << ": " << command;
    }
  EXPECT_GT(seen, 10u);
}

}  // namespace
}  // namespace harness
