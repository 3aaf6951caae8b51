#include "harness/cli/options/suite_options.h"

#include <charconv>

#include "harness/base/filter.h"
#include "harness/cli/options/typed_option.h"

namespace harness {
namespace {

Result<std::uint64_t> parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (code == std::errc{} && end == text.data() + text.size()) return seed;
  return fail(ErrorKind::usage, fmt::format("`{}` is not a whole number", printable(text)));
}

}  // namespace

CLI::Option* FilterOption::add_to(CLI::App& command) {
  const auto check = [](const std::string& filter) {
    const Status good = check_filter(filter.starts_with('!') ? filter.substr(1) : filter);
    return good ? std::string() : good.error().message;
  };
  return command
      .add_option("--filter", patterns,
                  "only cases whose name matches wildcards or /REGEX/; `!` in front excludes; repeatable")
      ->check(CLI::Validator(check, ""))
      ->type_name("PATTERN");
}

CLI::Option* ModuleOption::add_to(CLI::App& command) {
  return command.add_option("--module", files, "also load this plugin")->type_name("FILE");
}

CLI::Option* SuiteOptions::add_to(CLI::App& command) {
  CLI::Option* file = command.add_option("suite", suite, "suite file (YAML)")->required()->type_name("SUITE");
  add_settings_to(command);
  return file;
}

CLI::Option* SuiteOptions::add_several_to(CLI::App& command, std::vector<std::string>& suites) {
  CLI::Option* files = command.add_option("suite", suites, "suite files (YAML), one after the other")
                           ->required()
                           ->type_name("SUITE");
  add_settings_to(command);
  return files;
}

void SuiteOptions::add_settings_to(CLI::App& command) {
  filter.add_to(command);
  command.add_option("--tag", tags, "only cases with one of these tags");
  modules.add_to(command);
  device.add_to(command);
  add_words(
      command, "--set",
      [this](const std::string& word) -> Status {
        Result<AxisValues> axis = parse_axis_values(word);
        if (!axis) return fail(axis.error());
        axes.push_back(std::move(*axis));
        return {};
      },
      "values of an axis instead of the suite's, such as m=512,1024; repeatable")
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->allow_extra_args(false)
      ->type_name("AXIS=VALUES");
  command.add_option("--processes", processes, "worker processes for each case")
      ->check(whole_number(1, 10000));
  command.add_option("--placements", placements, "placements (allocations) per process")
      ->check(whole_number(1, 10000));
  command.add_option("--samples", samples, "samples per placement")->check(whole_number(1, 10000000));
  add_typed(command, "--seed", seed, parse_seed, "seed of the random inputs")->type_name("UINT");
}

std::vector<std::string> SuiteOptions::words() const {
  std::vector<std::string> words;
  if (!of_several) {
    for (const std::string& pattern : filter.patterns) words.push_back("--filter=" + pattern);
    for (const std::string& tag : tags) words.push_back("--tag=" + tag);
  }
  for (const std::string& module : modules.files) words.push_back("--module=" + module);
  for (const AxisValues& axis : axes) words.push_back("--set=" + axis.text);
  if (device.given()) words.push_back("--device=" + device.text);
  if (seed) words.push_back(fmt::format("--seed={}", *seed));
  if (processes) words.push_back(fmt::format("--processes={}", *processes));
  if (placements) words.push_back(fmt::format("--placements={}", *placements));
  if (samples) words.push_back(fmt::format("--samples={}", *samples));
  return words;
}

}  // namespace harness
