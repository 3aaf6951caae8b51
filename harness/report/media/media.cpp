#include "harness/report/media/media.h"

#include <fmt/format.h>

#include "harness/report/media/page/page_template.h"

namespace harness {

std::string render(const Report& report, Format format, const Style& style) {
  switch (format) {
#define HARNESS_FORMAT(name) \
  case Format::name: return report::draw_##name(report, style);
    HARNESS_FORMATS(HARNESS_FORMAT)
#undef HARNESS_FORMAT
  }
  return {};
}

Status check_built(Format format) {
  const std::string_view obstacle = report::page_obstacle();
  if (format != Format::html || obstacle.empty()) return {};
  return fail(ErrorKind::environment, fmt::format("this build has no HTML page: {}", obstacle),
              "install Node.js 18 or newer with npm and configure and build again, or write "
              "markdown=FILE instead");
}

}  // namespace harness
