// The command that `time`, `trace` and `init` take: its words reach the program as they were typed. CLI11
// makes several of a word in brackets, such as the filter [a,b] of a test program, so these words are marked
// until it has parsed the line.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace harness {

// Declares the positional argument `command`, which fills `words`.
CLI::Option* add_command_words(CLI::App& command, std::vector<std::string>& words, const std::string& about);

// The words of a command line, marked where its command takes them so.
std::vector<std::string> with_marked_words(const CLI::App& program, std::vector<std::string> words);

}  // namespace harness
