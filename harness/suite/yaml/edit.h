// Edit: adds entries to the `overrides` of case groups in a suite's text. Everything else stays to the byte:
// comments, order, layout. Places come from the YAML reader; an unclear place is refused. Pure. The caller
// reads the result again and checks that only the intended entries changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace harness {

// At the end of each line that is added.
inline constexpr std::string_view override_mark = "  # by harness calibrate";

// `entries` are YAML flow maps, "{match: {variant: a}, sampling: {processes: 8}}". Each ends with a comment
// that marks it, and entries so marked that are there already are replaced.
struct GroupEdit {
  int line = 0;  // of the group in the suite, from 1
  std::vector<std::string> entries;
};

// Groups that are written as a flow map, or have their `overrides` as a flow list, are an error that shows
// the lines to add by hand.
Result<std::string> with_overrides(const std::string& text, const std::string& file,
                                   const std::vector<GroupEdit>& edits);

}  // namespace harness
