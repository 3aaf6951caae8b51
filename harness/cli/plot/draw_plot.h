// Drawing one plot by plot.mjs, which Node.js runs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/schema/enum_names.h"

namespace harness {

struct PlotKind {
  std::string_view name;
  std::string_view shows;
  bool of_one_case = false;
  bool of_a_comparison = false;
};

// All kinds that plot.mjs draws; tests/cli/plot_test.sh asks it whether these are all.
std::span<const PlotKind> plot_kinds();

enum class PlotTheme { light, dark };
template <>
inline constexpr auto enum_names<PlotTheme> = names<PlotTheme>({{PlotTheme::light, "light"},
                                                                {PlotTheme::dark, "dark"}});

struct PlotOrder {
  const PlotKind* kind = nullptr;
  std::string one_case;  // "": all
  std::string metric;    // "": the usual one
  PlotTheme theme = PlotTheme::light;
  int width = 0;  // pixels; 0: as the plot likes
  int height = 0;
  bool png = false;
};

// Why this build cannot draw; an error says what to install.
Status check_can_draw();

// The picture's bytes: SVG, or PNG. `document`: the page's data, as JSON.
Result<std::string> draw_plot(const PlotOrder& order, const std::string& document);

}  // namespace harness
