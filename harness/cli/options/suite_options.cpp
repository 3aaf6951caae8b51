#include "harness/cli/options/suite_options.h"

#include <charconv>

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
  return command
      .add_option("--filter", patterns, "only cases whose name matches; `!` in front excludes; repeatable")
      ->type_name("WILDCARD");
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
  command.add_option("--processes", processes, "worker processes for each case")->check(CLI::Range(1, 10000));
  command.add_option("--placements", placements, "placements (allocations) per process")
      ->check(CLI::Range(1, 10000));
  command.add_option("--samples", samples, "samples per placement")->check(CLI::Range(1, 10000000));
  add_typed(command, "--seed", seed, parse_seed, "seed of the random inputs")->type_name("UINT");
}

std::vector<std::string> SuiteOptions::words() const {
  std::vector<std::string> words;
  for (const std::string& pattern : filter.patterns) words.push_back("--filter=" + pattern);
  for (const std::string& tag : tags) words.push_back("--tag=" + tag);
  for (const std::string& module : modules.files) words.push_back("--module=" + module);
  if (device.given()) words.push_back("--device=" + device.text);
  if (seed) words.push_back(fmt::format("--seed={}", *seed));
  if (processes) words.push_back(fmt::format("--processes={}", *processes));
  if (placements) words.push_back(fmt::format("--placements={}", *placements));
  if (samples) words.push_back(fmt::format("--samples={}", *samples));
  return words;
}

}  // namespace harness
