// Options of a comparison: the cases to measure, and whether a regression is measured again before it fails.
#pragma once

#include "harness/schema/enum_names.h"

namespace CLI {
class App;
}

namespace harness {

enum class MeasureChoice {
  changed,  // cases that are not proven identical
  all,
};
template <>
inline constexpr auto enum_names<MeasureChoice> = names<MeasureChoice>({{MeasureChoice::changed, "changed"},
                                                                        {MeasureChoice::all, "all"}});

struct LookOptions {
  MeasureChoice measure = MeasureChoice::changed;
  bool no_confirm = false;

  void add_to(CLI::App& command);  // --measure, --no-confirm
};

}  // namespace harness
