#include "harness/cli/ab_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/cli/build_commit.h"
#include "harness/cli/plan_file.h"
#include "harness/cli/run_logged.h"
#include "harness/measure/run.h"
#include "harness/store/git.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

std::string name_of(const AbSide& side) {
  return fmt::format("{} {} ({})", side.role, side.commit.substr(0, 10), printable(side.revision));
}

tl::unexpected<Error> cannot(const AbSide& side, const std::string& why, std::string advice) {
  return fail(ErrorKind::usage, fmt::format("{}: {}", name_of(side), why), std::move(advice));
}

void add_number(std::vector<std::string>& argv, const char* option, int value) {
  if (value > 0) argv.insert(argv.end(), {option, fmt::format("{}", value)});
}

std::vector<std::string> plan_command(const AbSide& side, const AbOptions& options, const fs::path& output) {
  const PlanArguments& plan = options.plan;
  std::vector<std::string> argv{side.program.string(), "plan",
                                options.suite_file.lexically_relative(options.folder).string(), "--output",
                                output.string()};
  for (const std::string& filter : plan.filters) argv.push_back("--filter=" + filter);
  for (const std::string& tag : plan.tags) argv.push_back("--tag=" + tag);
  for (const std::string& module : plan.modules) argv.push_back("--module=" + module);
  if (!plan.device.empty()) argv.push_back("--device=" + plan.device);
  if (!plan.seed.empty()) argv.push_back("--seed=" + plan.seed);
  add_number(argv, "--processes", plan.processes);
  add_number(argv, "--placements", plan.placements);
  add_number(argv, "--samples", plan.samples);
  return argv;
}

// Asks the build's own program, which knows its workloads, for the plan. False: interrupted.
Result<bool> plan_side(AbSide& side, const AbOptions& options) {
  std::error_code code;
  if (!fs::exists(side.worktree.path() / options.suite_file, code))
    return cannot(side, fmt::format("it has no {}", printable(options.suite_file.string())),
                  "A/B needs a suite that both commits have; measure the current one with `harness run`");
  const TemporaryFolder scratch;
  const fs::path output = scratch.path() / "plan.json", log = scratch.path() / "log";
  const auto exit = run_logged({plan_command(side, options, output), side.folder, {}}, log);
  if (!exit) return fail(exit.error());
  if (!*exit) return false;
  if (!(*exit)->ok())
    return cannot(
        side, fmt::format("its suite cannot be planned: {}: {}", (*exit)->text(), tail_of(log)),
        "a program older than `harness ab` cannot be asked; measure such a commit with `harness run`");
  const Result<std::string> text = read_file(output);
  if (!text) return fail(text.error());
  Result<Prepared> prepared = decode_plan(*text, "the plan of " + name_of(side));
  if (!prepared) return fail(prepared.error());
  side.prepared = std::move(*prepared);
  return true;
}

std::unordered_map<std::string_view, const PlannedCase*> by_id(const Plan& plan) {
  std::unordered_map<std::string_view, const PlannedCase*> all;
  for (const PlannedCase& one : plan.cases) all.emplace(one.id, &one);
  return all;
}

// The modules beside the program that a build made; those of a build without a program are its plugins.
Result<BuildModules> modules_of(const AbSide& side) {
  BuildModules modules{side.worktree.path().string(), {}, {}, side.prepared.plan.modules};
  if (side.program == this_program()) return modules;
  const fs::path folder = side.program.parent_path().parent_path() / "lib";
  std::error_code code;
  const fs::path kernels = folder / "libharness_kernels.so", cuda = folder / "libharness_cuda.so";
  if (!fs::exists(kernels, code))
    return fail(ErrorKind::usage,
                fmt::format("the {} build makes no {}", side.role, kernels.filename().string()));
  modules.kernels = kernels.string();
  if (fs::exists(cuda, code)) modules.cuda = cuda.string();
  return modules;
}

}  // namespace

Result<AbSide> make_side(const std::string& role, const std::string& revision, const std::string& commit) {
  Result<Worktree> worktree = Worktree::add(".", "ab-" + role, commit);
  if (!worktree) return fail(worktree.error());
  return AbSide{role, revision, commit, std::move(*worktree)};
}

Result<bool> ready_side(AbSide& side, const AbOptions& options) {
  fmt::print(stderr, "{}: building\n", name_of(side));
  const Result<Build> build = build_commit(side.worktree, options.build);
  if (!build) return fail(build.error());
  if (build->interrupted) return false;
  if (!build->why_not.empty())
    return cannot(
        side, build->why_not,
        fmt::format("`{}` is run in a worktree of the commit; name another command with --build, or "
                    "as `build` in the suite",
                    printable(options.build)));
  if (head_revision(side.worktree.path()).dirty)
    return cannot(side, "its build changes files that git tracks, so that this commit would not be measured",
                  "let the build write where git ignores it");
  side.folder = side.worktree.path() / options.folder;
  side.program = program_of(side.worktree);
  return plan_side(side, options);
}

Result<PairedBuilds> pair_of(const AbSide& baseline, const AbSide& current) {
  const Result<BuildModules> before = modules_of(baseline);
  if (!before) return fail(before.error());
  const Result<BuildModules> after = modules_of(current);
  if (!after) return fail(after.error());
  PairedBuilds pair{*before, *after};
  for (const auto& [kind, device] : current.prepared.devices) {
    const bool used =
        std::any_of(current.prepared.plan.cases.begin(), current.prepared.plan.cases.end(),
                    [&](const PlannedCase& one) { return one.device == kind && one.skip.empty(); });
    if (!used) continue;
    if (const Status loaded = probe_pair(device, pair, {}, current.folder); !loaded)
      return fail(loaded.error());
  }
  return pair;
}

Plan common_plan(const Plan& baseline, const Plan& current) {
  const auto before = by_id(baseline);
  Plan plan = current;
  std::erase_if(plan.cases, [&](const PlannedCase& one) {
    const auto found = before.find(one.id);
    if (found == before.end()) return true;
    const PlannedCase& other = *found->second;
    return !one.skip.empty() || !other.skip.empty() || one.workload != other.workload ||
           one.variant != other.variant || one.device != other.device || one.params != other.params;
  });
  return plan;
}

void agree_on_sampling(Plan& baseline, const Plan& current) {
  const auto now = by_id(current);
  for (PlannedCase& one : baseline.cases)
    if (const auto found = now.find(one.id); found != now.end()) {
      one.sampling = found->second->sampling;
      one.metrics = found->second->metrics;
    }
}

}  // namespace harness
