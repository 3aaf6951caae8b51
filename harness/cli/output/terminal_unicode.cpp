#include "harness/cli/output/terminal_unicode.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/environment.h"
#include "harness/base/text.h"

namespace harness {

bool terminal_has_unicode() {
  const std::string locale = to_lower(environment::locale());
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

Status check_formats(const OutputArguments& arguments, const std::string& what) {
  std::vector<std::string> names;
  for (const Format format : arguments.has) names.emplace_back(name_of(format));
  std::vector<std::string> asked{arguments.format};
  for (const std::string& reports : arguments.reports)
    for (const std::string& target : split(reports, ',')) asked.push_back(target.substr(0, target.find('=')));
  for (const std::string& name : asked)
    if (parse_format(name) && std::find(names.begin(), names.end(), name) == names.end())
      return fail(ErrorKind::usage, fmt::format("{} cannot be written as {}", what, name),
                  fmt::format("choose one of {}", join(names, ", ")));
  return {};
}

}  // namespace harness
