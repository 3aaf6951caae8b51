// GitHub text: workflow commands, one annotation a line. Nothing that comes in can end its command or
// start another. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace harness::report {

enum class AnnotationLevel { error, warning, notice };

struct Annotation {
  std::string file;  // in the repository, or ""
  int line = 0;
  std::string title;
  std::string message;  // lines at "\n"
};

// What stands behind "::" in a command. Control characters are made visible, line by line.
std::string escape_command_data(std::string_view raw);

// The value of "file=" or "title=": one line, and ":" and "," escaped, too.
std::string escape_command_property(std::string_view raw);

// "::error file=suites/fusion.yaml,line=14,title=...::..."
std::string annotation_line(AnnotationLevel level, const Annotation& annotation);

// GitHub shows ten of a level a step: `all`, which says what they are together and names the first twenty,
// and the nine worst; or the only one alone.
std::string annotation_lines(AnnotationLevel level, Annotation all,
                             const std::vector<Annotation>& worst_first);

}  // namespace harness::report
