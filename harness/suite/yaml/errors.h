// ErrorList: the errors of one suite, collected while reading goes on, handed over in the order of the
// text. One owner, one thread.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"

namespace harness {

class ErrorList {
 public:
  static constexpr std::size_t shown_limit = 50;  // more are counted, not listed

  void add(Location where, std::string message, std::string advice = {});
  [[nodiscard]] bool empty() const { return errors_.empty(); }
  [[nodiscard]] std::size_t size() const { return errors_.size(); }

  // Sorted by place (those without one last), each distinct error once, and at most `shown_limit`
  // followed by one that says how many are left out.
  [[nodiscard]] std::vector<Error> take();

 private:
  std::vector<Error> errors_;
};

// A name in backticks for an error's sentence: control characters escaped, cut to a readable length.
std::string in_ticks(std::string_view text);

}  // namespace harness
