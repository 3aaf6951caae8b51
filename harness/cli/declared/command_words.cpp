#include "harness/cli/declared/command_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace harness {
namespace {

constexpr char mark = '\x1f';
constexpr const char* type_name = "COMMAND...";

bool takes_words(const CLI::App& program, const std::vector<std::string>& words) {
  if (words.empty()) return false;
  const auto commands =
      program.get_subcommands([&](const CLI::App* one) { return one->get_name() == words.front(); });
  const CLI::Option* const option =
      commands.empty() ? nullptr : commands.front()->get_option_no_throw("command");
  return option != nullptr && option->get_type_name() == type_name;
}

}  // namespace

CLI::Option* add_command_words(CLI::App& command, std::vector<std::string>& words, const std::string& about) {
  return command
      .add_option_function<std::vector<std::string>>(
          "command",
          [&words](const std::vector<std::string>& given) {
            words = given;
            for (std::string& word : words)
              if (!word.empty() && word.front() == mark) word.erase(0, 1);
          },
          about)
      ->type_name(type_name);
}

std::vector<std::string> with_marked_words(const CLI::App& program, std::vector<std::string> words) {
  if (!takes_words(program, words)) return words;
  const auto dashes = std::find(words.begin(), words.end(), "--");
  for (auto word = words.begin() + 1; word != words.end(); ++word) {
    const bool of_option = word < dashes && (word - 1)->starts_with("--");
    if (!of_option && word->starts_with('[') && word->ends_with(']')) word->insert(0, 1, mark);
  }
  return words;
}

}  // namespace harness
