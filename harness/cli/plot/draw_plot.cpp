#include "harness/cli/plot/draw_plot.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/report/media/page/page_data.h"
#include "harness/report/media/page/page_template.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr std::array<PlotKind, 14> kinds{{
    {"speedup", "speedups over the reference, with intervals"},
    {"roofline", "FLOP/s by intensity under the measured ceilings"},
    {"ceiling", "share of the measured ceiling by size, a line a variant"},
    {"pareto", "quality against time or size"},
    {"phases", "set-up, first call and sampling of each case"},
    {"break-even", "set-up and calls of each variant of a ladder, added, by the number of calls"},
    {"waterfall", "what each variant of a ladder gains"},
    {"stages", "the speedup of a network stage by stage, and of each step"},
    {"samples", "the samples of each variant of a ladder, as violins"},
    {"metric", "a metric of each variant of a ladder, with intervals"},
    {"distribution", "the samples of each process, as violins", true},
    {"ecdf", "the samples of each process, cumulated", true},
    {"timeline", "placements in the order measured, with clock, power and temperature", true},
    {"interval", "the change against its margin", true, true},
}};

}  // namespace

std::span<const PlotKind> plot_kinds() {
  return kinds;
}

Status check_can_draw() {
  if (!report::plot_program().empty()) return {};
  const std::string obstacle(report::page_obstacle());
  return fail(ErrorKind::environment,
              fmt::format("this build has no plots: {}",
                          obstacle.empty() ? "no plot.mjs was beside its HARNESS_PAGE_FILE" : obstacle),
              "install Node.js 18 or newer with npm, then configure and build again");
}

Result<std::string> draw_plot(const PlotOrder& order, const std::string& document) {
  const TemporaryFolder folder;
  const fs::path program = folder.path() / "plot.mjs", data = folder.path() / "document.json",
                 picture = folder.path() / (order.png ? "plot.png" : "plot.svg");
  if (const Status put = write_file_atomically(program, report::plot_program()); !put)
    return fail(put.error());
  if (const Status put = write_file_atomically(data, document); !put) return fail(put.error());
  Command command{{"node", program.string(), "--plot", std::string(order.kind->name), "--theme",
                   std::string(name_of(order.theme)), "-o", picture.string()}};
  const auto add = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    command.argv.emplace_back(option);
    command.argv.push_back(value);
  };
  add("--case", order.one_case);
  add("--metric", order.metric);
  add("--width", order.width == 0 ? "" : std::to_string(order.width));
  add("--height", order.height == 0 ? "" : std::to_string(order.height));
  command.argv.push_back(data.string());
  const Result<Output> ran = run_command(command);
  if (!ran)
    return fail(ErrorKind::environment, "plots are drawn by Node.js: " + ran.error().message,
                "install Node.js 18 or newer, so that `node` is on PATH");
  if (ran->exit.ok()) return read_file(picture);
  std::string_view said = trim(ran->err);
  if (said.starts_with("plot: ")) said.remove_prefix(6);
  if (said.empty())
    return fail(ErrorKind::environment, "plotting failed: " + ran->exit.text(),
                "check that `node --version` says 18 or newer");
  return fail(ErrorKind::usage, fmt::format("--kind {}: {}", order.kind->name, printable(said)));
}

}  // namespace harness
