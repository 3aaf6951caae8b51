#include "harness/cli/output/terminal_unicode.h"

#include "harness/base/environment.h"
#include "harness/base/text.h"

namespace harness {

bool terminal_has_unicode() {
  const std::string locale = to_lower(environment::locale());
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

}  // namespace harness
