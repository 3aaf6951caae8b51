#include "harness/cli/output/render_with_sources.h"

#include <fmt/format.h>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/store/store.h"
#include "harness/verdict/read/summarize.h"

namespace harness {

namespace {

// The words that this program was started with, without passwords; the program's own name is left out.
std::vector<std::string> command_words() {
  const Result<std::string> line = read_file("/proc/self/cmdline");
  if (!line) return {};
  const std::vector<std::string> all = split(*line, '\0');  // each word ends with a NUL
  std::vector<std::string> words;
  for (std::size_t i = 1; i + 1 < all.size(); ++i) {
    const std::size_t url = all[i].find("postgresql://");
    words.push_back(url == std::string::npos ? all[i]
                                             : all[i].substr(0, url) + without_password(all[i].substr(url)));
  }
  return words;
}

// The value of `--name value` or `--name=value`; "" when it was not given.
std::string value_of(const std::vector<std::string>& words, const std::string& name) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == name && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(name + "=")) return words[i].substr(name.size() + 1);
  }
  return {};
}

// What the command that measures one case again takes over from this one.
std::string again_with(const std::string& against) {
  const std::vector<std::string> words = command_words();
  std::string text;
  for (const char* name : {"--device", "--store"})
    if (const std::string value = value_of(words, name); !value.empty())
      text += fmt::format(" {} {}", name, shell_quoted(value));
  if (!against.empty()) text += " --against " + shell_quoted(against);
  return text;
}

// What this comparison was asked to compare with, else the record that it found.
std::string against_of(const Record& baseline) {
  const std::vector<std::string> words = command_words();
  for (const char* name : {"--against", "--baseline"})
    if (std::string value = value_of(words, name); !value.empty()) return value;
  return baseline.id;
}

}  // namespace

std::string command_line() {
  std::string line = "harness";
  for (const std::string& word : command_words()) line += " " + shell_quoted(word);
  return line;
}

std::string render_measured(const Record& record, const std::vector<Summary>& summaries, Format format,
                            const Style& style) {
  return render_run(record, summaries, format, style,
                    {{}, {&record, &summaries}, command_line(), again_with("")});
}

std::string render_judged(const Comparison& comparison, const Record& baseline, const Record& current,
                          Format format, const Style& style) {
  if (format != Format::html) return render_comparison(comparison, format, style);
  const std::vector<Summary> before = summarize(baseline), after = summarize(current);
  Sources sources{{&baseline, &before}, {&current, &after}, command_line(), again_with(against_of(baseline))};
  if (baseline.cases.empty()) sources.baseline = {};
  return render_comparison(comparison, format, style, sources);
}

}  // namespace harness
