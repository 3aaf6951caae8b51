// GitHub text: workflow commands, one annotation a line. No text that comes in can end its command or start
// another. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/ci_view.h"

namespace harness::report {

struct Annotation {
  std::string file;  // in the repository, or ""
  int line = 0;
  std::string title;
  std::string message;  // lines at "\n"
};

// The message of a command. Control characters are made visible, line by line.
std::string escape_command_data(std::string_view raw);

// The value of "file=" or "title=": one line, with ":" and "," escaped as well.
std::string escape_command_property(std::string_view raw);

// "::error file=suites/fusion.yaml,line=14,title=...::..."
std::string annotation_line(Alarm level, const Annotation& annotation);

// GitHub shows ten annotations of a level a step. These are `all`, which sums up and names the first twenty,
// and the nine worst. A single annotation stands alone.
std::string annotation_lines(Alarm level, Annotation all, const std::vector<Annotation>& worst_first);

}  // namespace harness::report
