// The progress line of `run`: one line on standard error, rewritten in place; nothing when standard
// error is not a terminal or --quiet was given.
#pragma once

#include "harness/measure/run.h"

namespace harness {

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Progress& progress);
  void clear();

 private:
  bool active_;
};

}  // namespace harness
