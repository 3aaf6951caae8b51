#include "harness/cli/declared/examples.h"

namespace harness {

void add_examples(CLI::App& command, const std::vector<std::string>& lines) {
  std::string footer = command.get_footer();
  if (!footer.empty()) footer += "\n";
  footer += lines.size() == 1 ? "Example:" : "Examples:";
  for (const std::string& line : lines) footer += "\n  " + line;
  command.footer(footer);
}

}  // namespace harness
