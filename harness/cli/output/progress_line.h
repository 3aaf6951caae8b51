// The progress line of whatever takes long: one line on standard error, rewritten in place; nothing when
// standard error is not a terminal or --quiet was given.
#pragma once

#include <string>

#include "harness/measure/schedule/run_options.h"

namespace harness {

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `what` stands in front: "look 2 at 10 processes".
  void show(const Progress& progress, const std::string& what = {});
  void show(const std::string& line);
  void clear();

 private:
  bool active_;
};

}  // namespace harness
