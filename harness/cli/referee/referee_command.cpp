// `harness referee`: judges one build by another, in processes that see neither clock nor right answers.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/measuring/lock_devices.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/provenance/repository_suite.h"
#include "harness/device/open.h"
#include "harness/device/sides/sides.h"
#include "harness/measure/referee/match.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/measure/worker/build_catalog.h"
#include "harness/report/documents.h"
#include "harness/suite/load_suite.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

constexpr Seconds longest_budget = 3600;

struct RefereeArguments {
  SuiteOptions plan;
  std::string baseline, current;
  referee::MatchOptions match;
  OutputOptions output;
};

// The folder of a build with lib/, or a plugin in place of the suite's, whose `plugins` it has then.
Result<BuildModules> modules_of(const std::string& option, const std::string& given) {
  std::error_code code;
  const fs::path path = fs::canonical(given, code);
  if (code)
    return fail(ErrorKind::usage, Location{given}, fmt::format("{}: {}", option, code.message()),
                "name a folder that holds lib/ of a build, or a plugin");
  if (fs::is_regular_file(path, code))
    return BuildModules{path.parent_path().string(), {}, {}, {path.string()}};
  const fs::path kernels = path / "lib" / "libharness_kernels.so", cuda = path / "lib" / "libharness_cuda.so";
  if (!fs::exists(kernels, code))
    return fail(ErrorKind::usage, Location{given},
                fmt::format("{}: it has no lib/libharness_kernels.so", option),
                "name the build folder itself, or a plugin (a .so file)");
  BuildModules modules{path.string(), kernels.string(), {}, {}};
  if (fs::exists(cuda, code)) modules.cuda = cuda.string();
  return modules;
}

bool is_plugin(const BuildModules& build) {
  return build.kernels.empty();
}

Result<PairedBuilds> builds_of(const RefereeArguments& arguments) {
  Result<BuildModules> before = modules_of("--baseline-build", arguments.baseline);
  if (!before) return fail(before.error());
  Result<BuildModules> after = modules_of("--current-build", arguments.current);
  if (!after) return fail(after.error());
  if (is_plugin(*before) != is_plugin(*after))
    return fail(ErrorKind::usage, "one build is a folder, and the other one a plugin",
                "name two folders, or two plugins");
  return PairedBuilds{std::move(*before), std::move(*after)};
}

// Plans with the plugin of the baseline build: this process loads nothing of the current one.
Checked<Prepared> plan_match(const RefereeArguments& arguments, PairedBuilds& builds) {
  Checked<Suite> suite = load_repository_suite(arguments.plan.suite);
  if (!suite) return tl::unexpected(suite.error());
  if (is_plugin(builds.baseline)) {
    suite->modules = {{builds.baseline.plugins.front(), Location{arguments.baseline}}};
  } else {
    for (const std::string& plugin : module_paths(*suite))
      for (BuildModules* build : {&builds.baseline, &builds.current}) build->plugins.push_back(plugin);
  }
  for (const At<std::string>& module : suite->modules)
    if (fs::path(module.value).extension() == ".py")
      return fail_checked({ErrorKind::usage, "cases in Python have no referee", module.where,
                           "judge them with `harness ab`"});
  return prepare(*suite, arguments.plan);
}

// The cases of one kind of device. `lost` becomes true where the device waits for ever.
Status referee_kind(const RefereeArguments& arguments, const Prepared& prepared, const std::string& kind,
                    const PairedBuilds& builds, RefereeReport& report, bool& lost) {
  const auto chosen = prepared.devices.find(kind);
  const auto is_here = [&](const PlannedCase& one) { return one.device == kind; };
  if (chosen == prepared.devices.end()) {  // all are planned as skipped
    for (const PlannedCase& one : prepared.plan.cases)
      if (is_here(one)) report.cases.push_back({.id = one.id, .reason = one.skip});
    return {};
  }
  Result<OpenedDevice> opened = open_device(chosen->second);
  if (!opened) return fail(opened.error());
  Result<std::unique_ptr<RefereeSide>> side = open_referee_side(chosen->second);
  if (!side) return fail(side.error());
  // The right answers are those of the baseline build's workloads. Its CUDA module stays out.
  BuildModules of_baseline = builds.baseline;
  of_baseline.cuda.clear();
  Result<Catalog> catalog = catalog_of_build(of_baseline, nullptr);
  if (!catalog) return fail(catalog.error());
  if (!report.device.empty()) report.device += ", ";
  report.device += opened->device->traits().name;
  const referee::Arena arena{chosen->second, *opened->device, **side, *catalog, builds};
  bool lost_here = false;
  for (const PlannedCase& one : prepared.plan.cases) {
    if (!is_here(one) || InterruptGuard::interrupted()) continue;
    if (lost_here)
      report.cases.push_back(
          {.id = one.id,
           .reason = Cause{CauseCode::device_refused, {{"problem", "an earlier case lost the device"}}}});
    else
      report.cases.push_back(referee::referee_case(arena, one, arguments.match, lost_here));
  }
  if (side->get()->lost()) {  // their destructors would wait, too
    lost = true;
    (void)side->release();
    (void)opened->device.release();
  }
  return {};
}

int status_of(Ruling ruling) {
  switch (ruling) {
    case Ruling::faster:
    case Ruling::not_slower: return exit_ok;
    case Ruling::slower:
    case Ruling::not_faster: return exit_regressed;
    case Ruling::undecided: return exit_inconclusive;
    case Ruling::unjudged: return exit_missing;
    case Ruling::incorrect:
    case Ruling::failed: return exit_failed;
  }
  return exit_failed;
}

int judge_builds(const RefereeArguments& arguments, const CommandLine& line) {
  if (const Status checked = check_outputs(arguments.output); !checked) return report_error(checked.error());
  Result<PairedBuilds> builds = builds_of(arguments);
  if (!builds) return report_error(builds.error());
  const Checked<Prepared> prepared = plan_match(arguments, *builds);
  if (!prepared) return report_errors(prepared.error());
  if (const Status begun = begin_outputs(arguments.output, line); !begun) return report_error(begun.error());
  const InterruptGuard guard;
  const auto locks = lock_devices(*prepared, {});
  if (!locks) return report_error(locks.error());
  RefereeReport report{prepared->plan.suite.name,
                       arguments.baseline,
                       arguments.current,
                       {},
                       arguments.match.judging.margin,
                       arguments.match.judging.confidence,
                       arguments.match.judging.asks_faster};
  std::vector<std::string> kinds;
  for (const PlannedCase& one : prepared->plan.cases)
    if (std::find(kinds.begin(), kinds.end(), one.device) == kinds.end()) kinds.push_back(one.device);
  bool lost = false;
  for (const std::string& kind : kinds)
    if (const Status judged = referee_kind(arguments, *prepared, kind, *builds, report, lost); !judged) {
      (void)report_error(judged.error());
      return exit_missing;
    }
  int status = exit_ok;
  for (const RefereedCase& one : report.cases) status = worst_status(status, status_of(one.ruling));
  if (InterruptGuard::interrupted()) status = exit_interrupted;
  const auto draw = [&](Format format, const Style& style) {
    return render(report::referee_document(report), format, style);
  };
  status = emit(arguments.output, draw, status);
  if (lost) {  // the ordinary end would wait for the device
    std::fflush(nullptr);
    _exit(status);
  }
  return status;
}

Result<Seconds> parse_device_budget(const std::string& text) {
  const Result<Seconds> budget = parse_duration(text);
  if (!budget || (*budget > 0 && *budget <= longest_budget)) return budget;
  return fail(ErrorKind::usage, fmt::format("`{}` is not from above 0 to 1h", printable(text)));
}

}  // namespace

void add_referee(Commands& commands) {
  auto& [command, arguments] = commands.add(
      "referee", "Judge a build by another: neither sees a clock or a right answer", judge_builds);
  command.add_option("suite", arguments.plan.suite, "suite file (YAML)")->required()->type_name("SUITE");
  command
      .add_option("--baseline-build", arguments.baseline,
                  "folder with lib/ of the build that is trusted, or its plugin (a .so file)")
      ->required()
      ->type_name("DIR|FILE");
  command.add_option("--current-build", arguments.current, "the same of the build to judge")
      ->required()
      ->type_name("DIR|FILE");
  arguments.plan.filter.add_to(command);
  arguments.plan.device.add_to(command);
  add_typed(command, "--margin", arguments.match.judging.margin, parse_fraction,
            "changes this small do not matter")
      ->default_str("1%");
  command.add_flag("--faster", arguments.match.judging.asks_faster,
                   "pass only what is shown faster by more than the margin");
  add_typed(command, "--budget", arguments.match.budget, parse_device_budget,
            "time of the device for each case")
      ->default_str("5s");
  arguments.output.add_to(command);
  command.footer(
      "Each build plays in a process of its own, on memory that the referee owns. Inputs are new in each "
      "round,\n"
      "each call of a batch has its own, and results of all calls are checked before the clock stops.\n"
      "Exit status: 0 not slower (with --faster: faster), 1 slower (not faster), 2 usage, 3 undecided,\n"
      "4 cannot be judged, 5 the current build failed or computed a wrong result, 130 interrupted.");
  add_examples(command, {"harness referee suite.yaml --baseline-build old --current-build new"});
}

}  // namespace harness
