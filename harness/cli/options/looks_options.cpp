#include "harness/cli/options/looks_options.h"

#include <charconv>

#include "harness/cli/options/typed_option.h"
#include "harness/report/words/reason_words.h"
#include "harness/verdict/check/comparable.h"
#include "harness/verdict/decide/looks.h"

namespace harness {
namespace {

constexpr const char* looks_advice =
    "write increasing numbers of processes, such as 5,10,20, or 1 for a single look";

Result<int> parse_look(const std::string& word) {
  int look = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), look);
  if (code == std::errc{} && end == word.data() + word.size() && look >= 1 && look <= most_processes)
    return look;
  return fail(ErrorKind::usage,
              fmt::format("`{}` is not a number of processes from 2 to {}", printable(word), most_processes),
              looks_advice);
}

// "5,10,20"; none for "1".
Result<std::vector<int>> parse_looks(const std::string& text) {
  std::vector<int> looks;
  for (const std::string& word : split(text, ',')) {
    const Result<int> look = parse_look(std::string(trim(word)));
    if (!look) return fail(look.error());
    looks.push_back(*look);
  }
  if (looks == std::vector<int>{1}) return std::vector<int>{};
  if (const std::optional<Obstacle> obstacle = looks_obstacle(looks))
    return fail(ErrorKind::usage, fmt::format("{}: {}", printable(text), report::reason_words({}, *obstacle)),
                looks_advice);
  return looks;
}

Result<Seconds> parse_budget(const std::string& text) {
  if (text == "0") return 0.0;
  return parse_duration(text);
}

}  // namespace

void LooksOption::add_to(CLI::App& command) {
  add_typed(command, "--looks", looks, parse_looks,
            "processes a side at which cases are judged, e.g. 5,10,20, or 1 for a single look; wins over "
            "the suite; default with --against: 1, 2 and 4 times the processes")
      ->type_name("LIST");
}

void BudgetOption::add_to(CLI::App& command, const std::string& about, const std::string& usual) {
  add_typed(command, "--budget", budget, parse_budget, about)->type_name("DURATION")->default_str(usual);
}

}  // namespace harness
