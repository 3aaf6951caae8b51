#include "harness/cli/declared/completion.h"

#include <fmt/format.h>

#include "harness/base/text.h"

namespace harness {
namespace {

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : shown_options(command)) names.push_back(long_name(*option));
  return names;
}

std::vector<std::string> command_names(const CLI::App& parent) {
  std::vector<std::string> names;
  for (const CLI::App* one : shown_commands(parent)) names.push_back(one->get_name());
  return names;
}

std::string groups(const CLI::App& program, std::string_view separator) {
  std::vector<std::string> names;
  for (const CLI::App* one : shown_commands(program))
    if (!shown_commands(*one).empty()) names.push_back(one->get_name());
  return join(names, separator);
}

// The values that follow an option, as cases of a shell.
std::string value_cases(const CLI::App& command) {
  std::string cases;
  for (const CLI::Option* option : shown_options(command))
    if (const auto values = listed_values(*option); !values.empty())
      cases += fmt::format("        {}) values='{}' ;;\n", long_name(*option), join(values, " "));
  return cases.empty() ? cases : fmt::format("      case $before in\n{}      esac\n", cases);
}

// Words that may follow each command: `known` (commands, then options) and `values` of the option before the
// cursor. bash and zsh read the same.
std::string command_cases(const CLI::App& program) {
  std::string cases =
      fmt::format("    '') known='{} --help --version' ;;\n", join(command_names(program), " "));
  for (const auto& [path, command] : all_commands(program)) {
    std::vector<std::string> words = command_names(*command);
    for (std::string& name : option_names(*command)) words.push_back(std::move(name));
    cases += fmt::format("    '{}')\n      known='{}'\n{}      ;;\n", path, join(words, " "),
                         value_cases(*command));
  }
  return cases;
}

std::string bash_script(const CLI::App& program) {
  return fmt::format(
      R"(# bash completion for harness: source <(harness completion bash)
_harness() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command='' known='' values=''
  if ((COMP_CWORD > 1)); then command=${{COMP_WORDS[1]}}; fi
  case $command in
    {}) if ((COMP_CWORD > 2)); then command+=" ${{COMP_WORDS[2]}}"; fi ;;
  esac
  case $command in
{}  esac
  local below=${{known%%--*}}
  if [[ -n $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
  elif [[ $word == -* || -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$known" -- "$word")
  elif [[ -n $below ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$below" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    compopt -o filenames 2>/dev/null
  fi
}}
complete -F _harness harness
)",
      groups(program, "|"), command_cases(program));
}

std::string zsh_script(const CLI::App& program) {
  return fmt::format(
      R"(#compdef harness
# zsh completion for harness: source <(harness completion zsh)
_harness() {{
  local word=${{words[CURRENT]}} before=${{words[CURRENT-1]}} command='' values=''
  ((CURRENT > 2)) && command=${{words[2]}}
  case $command in
    {}) ((CURRENT > 3)) && command+=" ${{words[3]}}" ;;
  esac
  local known=''
  case $command in
{}  esac
  local below=${{known%%--*}}
  if [[ -n $values ]]; then
    compadd -- ${{=values}}
  elif [[ $word == -* || -z $command ]]; then
    compadd -- ${{=known}}
  elif [[ -n $below ]]; then
    compadd -- ${{=below}}
  else
    _files
  fi
}}
if [[ $funcstack[1] == _harness ]]; then _harness "$@"; else compdef _harness harness; fi
)",
      groups(program, "|"), command_cases(program));
}

// For single quotes in fish.
std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string fish_script(const CLI::App& program) {
  std::string script = "# fish completion for harness: harness completion fish | source\n";
  for (const CLI::App* one : shown_commands(program))
    script += fmt::format("complete -c harness -n __fish_use_subcommand -f -a {} -d {}\n", one->get_name(),
                          fish_quoted(one->get_description()));
  const std::string other_groups = groups(program, " ");
  for (const auto& [path, command] : all_commands(program)) {
    std::string here;
    for (const std::string& name : split(path, ' '))
      here += (here.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + name);
    // `list` is a command, and `records list` another.
    if (path.find(' ') == std::string::npos && shown_commands(*command).empty())
      here += "; and not __fish_seen_subcommand_from " + other_groups;
    for (const CLI::App* one : shown_commands(*command))
      script += fmt::format("complete -c harness -n {} -f -a {} -d {}\n", fish_quoted(here), one->get_name(),
                            fish_quoted(one->get_description()));
    for (const CLI::Option* option : shown_options(*command)) {
      const auto values = listed_values(*option);
      const std::string name = long_name(*option);
      script += fmt::format("complete -c harness -n {} {} {}{}{} -d {}\n", fish_quoted(here),
                            name.starts_with("--") ? "-l" : "-s", name.substr(name.find_first_not_of('-')),
                            option->get_expected_max() > 0 ? " -r" : "",
                            values.empty() ? "" : " -f -a " + fish_quoted(join(values, " ")),
                            fish_quoted(option->get_description()));
    }
  }
  return script;
}

}  // namespace

std::string completion_script(const CLI::App& program, Shell shell) {
  switch (shell) {
    case Shell::bash: return bash_script(program);
    case Shell::zsh: return zsh_script(program);
    case Shell::fish: return fish_script(program);
  }
  return {};
}

}  // namespace harness
