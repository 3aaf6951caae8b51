#include "harness/cli/declared/command_tree.h"

#include "harness/base/text.h"

namespace harness {

std::vector<const CLI::App*> shown_commands(const CLI::App& parent) {
  return parent.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
}

std::vector<CommandAt> all_commands(const CLI::App& program) {
  std::vector<CommandAt> all;
  for (const CLI::App* one : shown_commands(program)) {
    all.push_back({one->get_name(), one});
    for (const CommandAt& below : all_commands(*one))
      all.push_back({one->get_name() + " " + below.path, below.command});
  }
  return all;
}

std::vector<const CLI::Option*> shown_options(const CLI::App& command) {
  const auto named = [](const CLI::Option* one) {
    return !one->get_group().empty() && !(one->get_lnames().empty() && one->get_snames().empty());
  };
  std::vector<const CLI::Option*> options = command.get_options(named);
  const CLI::App* above = command.get_parent();
  if (above != nullptr && above->get_parent() != nullptr)
    for (const CLI::Option* one : above->get_options(named))
      if (long_name(*one) != "--help") options.push_back(one);
  return options;
}

std::string long_name(const CLI::Option& option) {
  return option.get_lnames().empty() ? "-" + option.get_snames().front() : "--" + option.get_lnames().front();
}

std::vector<std::string> listed_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const bool listed = type.find('|') != std::string::npos &&
                      type.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_|") == std::string::npos;
  return listed ? split(type, '|') : std::vector<std::string>{};
}

}  // namespace harness
