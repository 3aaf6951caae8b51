#include "harness/cli/render.h"

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/compare/summarize.h"
#include "harness/store/store.h"

namespace harness {

std::string command_line() {
  const Result<std::string> words = read_file("/proc/self/cmdline");
  if (!words) return {};
  std::string line = "harness";
  const std::vector<std::string> all = split(*words, '\0');  // each word ends with a NUL
  for (std::size_t i = 1; i + 1 < all.size(); ++i) {
    const std::size_t url = all[i].find("postgresql://");
    const std::string word =
        url == std::string::npos ? all[i] : all[i].substr(0, url) + without_password(all[i].substr(url));
    line += " " + shell_quoted(word);
  }
  return line;
}

std::string render_measured(const Record& record, const std::vector<Summary>& summaries, Format format,
                            const Style& style) {
  return render_run(record, summaries, format, style, {{}, {&record, &summaries}, command_line()});
}

std::string render_judged(const Comparison& comparison, const Record& baseline, const Record& current,
                          Format format, const Style& style) {
  if (format != Format::html) return render_comparison(comparison, format, style);
  const std::vector<Summary> before = summarize(baseline), after = summarize(current);
  Sources sources{{&baseline, &before}, {&current, &after}, command_line()};
  if (baseline.cases.empty()) sources.baseline = {};
  return render_comparison(comparison, format, style, sources);
}

}  // namespace harness
