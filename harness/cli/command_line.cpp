#include "harness/cli/command_line.h"

#include "harness/base/text.h"
#include "harness/store/store.h"

namespace harness {

CommandLine::CommandLine(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t url = word.find("postgresql://");
    words_.push_back(url == std::string::npos ? word
                                              : word.substr(0, url) + without_password(word.substr(url)));
  }
}

std::string CommandLine::text() const {
  std::string line = "harness";
  for (const std::string& word : words_) line += " " + shell_quoted(word);
  return line;
}

}  // namespace harness
