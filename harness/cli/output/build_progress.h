// The lines on standard error while a commit is built: on a terminal one line, redrawn; elsewhere a line at
// the beginning, at the end and now and then, so that a CI log shows progress.
#pragma once

#include <functional>
#include <string>

#include "harness/base/units.h"

namespace harness {

class BuildProgress {
 public:
  using Write = std::function<void(const std::string&)>;

  BuildProgress(std::string what, bool terminal, Write write);
  // To standard error.
  explicit BuildProgress(std::string what);

  void at(Seconds elapsed);  // may be called often
  void built();              // after the last at(): it ended well
  void failed();             // only clears the line; the error follows

 private:
  std::string what_;
  bool terminal_;
  Write write_;
  Seconds elapsed_ = 0;
  Seconds next_ = 0;  // next line
};

}  // namespace harness
