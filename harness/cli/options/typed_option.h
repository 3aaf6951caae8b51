// Options whose text becomes a value while the command line is parsed.
//
//   add_typed(command, "--margin", margin, parse_fraction, "changes this small do not matter");
//
// A parser returns a Result; the user sees its error, with the option's name in front, and its advice.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

#include "harness/base/result.h"
#include "harness/base/text.h"
#include "harness/schema/enum_names.h"

namespace harness {

// Ends the parsing because the text of an option is wrong. main() reports the error.
class OptionError : public CLI::ParseError {
 public:
  OptionError(const std::string& option, harness::Error error)
      : CLI::ParseError("OptionError", option + ": " + error.message, CLI::ExitCodes::ValidationError),
        error_(std::move(error)) {
    error_.message = option + ": " + error_.message;
  }
  [[nodiscard]] const harness::Error& error() const { return error_; }

 private:
  harness::Error error_;  // CLI11 has an Error of its own
};

// Checks that an option's text is a whole number of this range.
CLI::Validator whole_number(long long least, long long most);

// An option with one word for each value. `take` gets each word and returns a Status.
template <class Take>
CLI::Option* add_words(CLI::App& command, const std::string& name, Take take, const std::string& help) {
  const auto take_all = [name, take](const CLI::results_t& words) {
    for (const std::string& word : words)
      if (const Status taken = take(word); !taken) throw OptionError(name, taken.error());
    return true;
  };
  return command.add_option(name, take_all, help);
}

// An option with one value. `parse` gets its text and returns a Result of its type.
template <class Value, class Parse>
CLI::Option* add_typed(CLI::App& command, const std::string& name, Value& value, Parse parse,
                       const std::string& help) {
  const auto take = [&value, parse](const std::string& word) -> Status {
    auto parsed = parse(word);
    if (!parsed) return fail(parsed.error());
    value = std::move(*parsed);
    return {};
  };
  return add_words(command, name, take, help);
}

template <NamedEnum Enum>
Result<Enum> parse_choice(const std::string& word) {
  if (const std::optional<Enum> value = parse_name<Enum>(word)) return *value;
  return fail(ErrorKind::usage,
              fmt::format("`{}` is not one of {}", printable(word), join(all_names<Enum>(), ", ")),
              suggestion(word, all_names<Enum>()));
}

// An option with one value of an enum. Its present value is the default.
template <NamedEnum Enum>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Enum& value, const std::string& help) {
  return add_typed(command, name, value, parse_choice<Enum>, help)
      ->type_name(join(all_names<Enum>(), "|"))
      ->default_str(std::string(name_of(value)));
}

}  // namespace harness
