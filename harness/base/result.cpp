#include "harness/base/result.h"

#include "harness/base/text.h"

namespace harness {

std::string to_string(const Location& where) {
  std::string text = printable(where.file);
  if (where.line > 0) text += ":" + std::to_string(where.line);
  if (where.line > 0 && where.column > 0) text += ":" + std::to_string(where.column);
  return text;
}

std::string Error::text() const {
  std::string out = to_string(where);
  if (!out.empty()) out += ": ";
  out += "error: " + printable_lines(message);
  if (!advice.empty()) out += "\n  advice: " + printable_lines(advice);
  return out;
}

}  // namespace harness
