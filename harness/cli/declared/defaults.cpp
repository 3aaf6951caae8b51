#include "harness/cli/declared/defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/base/text.h"
#include "harness/cli/declared/harmless_options.h"
#include "harness/suite/yaml/yaml_tree.h"

namespace harness {
namespace {

const YamlWords words_of_file{"file of defaults", "a few options need a few lines",
                              "begin with `version: 1`, then options, such as `all: {store: results.db}`"};

// The options of one command, or of all that have them, by name.
struct Entries {
  const CLI::App* command = nullptr;  // null: all
  std::map<std::string, DefaultOption> options;
};

class DefaultsReader {
 public:
  DefaultsReader(const CLI::App& program, const DefaultsFile& file, ErrorList& errors)
      : file_(file.name),
        top_(file.top),
        trusted_(file.trusted),
        errors_(errors),
        commands_(all_commands(program)) {}

  std::vector<Entries> read(const YamlValue& root) {
    std::vector<Entries> read;
    if (!is_map(root, "the file")) return read;
    for (const YamlMember& member : root.members) {
      if (member.name == "version")
        check_version(*member.value);
      else if (member.name == "all")
        read.push_back(options_of(*member.value, nullptr));
      else if (member.name == "commands")
        read_commands(*member.value, read);
      else
        errors_.add(at(member.place), fmt::format("unknown key {}", in_ticks(member.name)),
                    suggestion(member.name, std::vector<std::string>{"version", "all", "commands"}));
    }
    if (root.find("version") == nullptr)
      errors_.add({file_, 1, 1}, "`version` is missing", "begin with `version: 1`");
    return read;
  }

 private:
  [[nodiscard]] Location at(TextPosition place) const { return {file_, place.line, place.column}; }

  bool is_map(const YamlValue& value, const std::string& what) {
    if (value.kind == YamlValue::Kind::map) return true;
    errors_.add(at(value.place),
                fmt::format("{}: expected options with values, found {}", what, described(value)),
                "write for example `run: {wait: 10m}`");
    return false;
  }

  void check_version(const YamlValue& version) {
    if (version.kind != YamlValue::Kind::integer || version.integer != 1)
      errors_.add(at(version.place), fmt::format("unknown version: {}", described(version)),
                  "this harness reads version 1");
  }

  void read_commands(const YamlValue& value, std::vector<Entries>& read) {
    if (!is_map(value, "`commands`")) return;
    for (const YamlMember& member : value.members) {
      std::vector<std::string> known;
      const CLI::App* found = nullptr;
      for (const CommandAt& one : commands_) {
        known.push_back(one.path);
        if (one.path == member.name) found = one.command;
      }
      if (found == nullptr)
        errors_.add(at(member.place), fmt::format("unknown command {}", in_ticks(member.name)),
                    suggestion(member.name, known, known.size()));
      else
        read.push_back(options_of(*member.value, found));
    }
  }

  Entries options_of(const YamlValue& value, const CLI::App* command) {
    Entries entries{command, {}};
    if (!is_map(value, command == nullptr ? "`all`" : in_ticks(command->get_name()))) return entries;
    for (const YamlMember& member : value.members)
      if (const CLI::Option* option = find(member, command))
        entries.options[long_name(*option)] = {words_of(*option, *member.value), at(member.place)};
    return entries;
  }

  // Null, with an error, where no command in question has the option.
  const CLI::Option* find(const YamlMember& member, const CLI::App* command) {
    const std::string name = "--" + member.name;
    std::vector<std::string> known;
    const CLI::Option* found = nullptr;
    for (const CommandAt& one : commands_) {
      if (command != nullptr && one.command != command) continue;
      for (const CLI::Option* option : shown_options(*one.command)) {
        known.push_back(long_name(*option).substr(2));
        if (long_name(*option) == name) found = option;
      }
    }
    if (found != nullptr && !trusted_ && !is_harmless(name)) {
      errors_.add(at(member.place),
                  fmt::format("{} can have no default: it may decide what passes", in_ticks(name)),
                  "a change must not decide that of itself: write it on the command line, into the suite, or "
                  "into a file of your own that HARNESS_DEFAULTS names");
      return nullptr;
    }
    if (found == nullptr) {
      std::sort(known.begin(), known.end());
      known.erase(std::unique(known.begin(), known.end()), known.end());
      errors_.add(at(member.place), fmt::format("unknown option {}", in_ticks(member.name)),
                  suggestion(member.name, known, known.size()));
    }
    return found;
  }

  std::vector<std::string> words_of(const CLI::Option& option, const YamlValue& value) {
    const std::string name = long_name(option);
    if (value.kind == YamlValue::Kind::map || value.kind == YamlValue::Kind::null) {
      errors_.add(at(value.place),
                  fmt::format("{}: expected a value, found {}", in_ticks(name), described(value)));
      return {};
    }
    if (option.get_expected_max() == 0 && value.kind == YamlValue::Kind::boolean)
      return value.boolean ? std::vector<std::string>{name} : std::vector<std::string>{};
    std::vector<const YamlValue*> items{&value};
    if (value.kind == YamlValue::Kind::list) items.assign(value.items.begin(), value.items.end());
    std::vector<std::string> words;
    for (const YamlValue* item : items) {
      words.push_back(name + "=" + item->text);
      if (const Status inside = trusted_ ? Status() : check_stays_in_tree(name, item->text, top_); !inside)
        errors_.add(at(item->place), inside.error().message, inside.error().advice);
    }
    return words;
  }

  const std::string& file_;
  const std::filesystem::path& top_;
  const bool trusted_;
  ErrorList& errors_;
  std::vector<CommandAt> commands_;
};

// The command that a line begins with; null when it names none that --help shows.
const CLI::App* take_command(const CLI::App& program, DefaultedLine& line) {
  const CLI::App* command = &program;
  while (!line.given.empty()) {
    const auto below = shown_commands(*command);
    const auto found = std::find_if(below.begin(), below.end(), [&](const CLI::App* one) {
      return one->get_name() == line.given.front();
    });
    if (found == below.end()) break;
    command = *found;
    line.command.push_back(line.given.front());
    line.given.erase(line.given.begin());
  }
  return command == &program ? nullptr : command;
}

bool gives(const DefaultedLine& line, const std::string& name) {
  return std::any_of(line.given.begin(), line.given.end(),
                     [&](const std::string& word) { return word == name || word.starts_with(name + "="); });
}

// Whether the line gives neither the option nor one that excludes it.
bool is_open(const DefaultedLine& line, const CLI::Option& option) {
  const auto given = [&](const CLI::Option* one) { return gives(line, long_name(*one)); };
  const auto excludes = option.get_excludes(), needs = option.get_needs();
  return !given(&option) && std::none_of(excludes.begin(), excludes.end(), given) &&
         std::all_of(needs.begin(), needs.end(), given);
}

}  // namespace

std::vector<std::string> DefaultedLine::words() const {
  std::vector<std::string> all = command;
  for (const DefaultOption& one : defaults) all.insert(all.end(), one.words.begin(), one.words.end());
  all.insert(all.end(), given.begin(), given.end());
  return all;
}

bool names_command(const CLI::App& program, const std::vector<std::string>& words) {
  DefaultedLine line{{}, {}, words, {}};
  return take_command(program, line) != nullptr;
}

Checked<DefaultedLine> with_defaults(const CLI::App& program, const std::vector<std::string>& words,
                                     const DefaultsFile& file) {
  ErrorList errors;
  const YamlTree tree(file.text, file.name, errors, {}, words_of_file);
  std::vector<Entries> read;
  if (tree.root() != nullptr) read = DefaultsReader(program, file, errors).read(*tree.root());
  if (!errors.empty()) return tl::unexpected(errors.take());
  DefaultedLine line{{}, {}, words, {}};
  const CLI::App* command = take_command(program, line);
  if (command == nullptr) return line;
  std::map<std::string, DefaultOption> chosen;
  for (const bool own : {false, true})
    for (const Entries& entries : read)
      if (own ? entries.command == command : entries.command == nullptr)
        for (const auto& [name, option] : entries.options) chosen[name] = option;
  for (const CLI::Option* option : shown_options(*command))
    if (const auto found = chosen.find(long_name(*option)); found != chosen.end() && is_open(line, *option))
      line.defaults.push_back(found->second);
  return line;
}

}  // namespace harness
