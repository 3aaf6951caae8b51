#include "harness/cli/ab/ab_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/cli/measuring/plan_file.h"
#include "harness/cli/programs/run_logged.h"
#include "harness/cli/provenance/build_cache.h"
#include "harness/cli/provenance/build_commit.h"
#include "harness/cli/provenance/built_from.h"
#include "harness/store/git.h"
#include "harness/suite/plan/selection.h"
#include "harness/verdict/check/timed_inputs.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr const char* kernels_module = "libharness_kernels.so";
constexpr const char* cuda_module = "libharness_cuda.so";

std::string name_of(const AbSide& side) {
  if (side.built_before()) return fmt::format("{} build {}", side.role, printable(side.revision));
  return fmt::format("{} {} ({})", side.role, side.commit.substr(0, 10), printable(side.revision));
}

tl::unexpected<Error> cannot(const AbSide& side, const std::string& why, std::string advice) {
  return fail(ErrorKind::usage, fmt::format("{}: {}", name_of(side), why), std::move(advice));
}

std::vector<std::string> plan_command(const AbSide& side, const SuiteOptions& plan, const fs::path& output) {
  std::vector<std::string> argv{side.program.string(), "plan", side.suite.string(), "--output",
                                output.string()};
  const std::vector<std::string> words = plan.words();
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

// Asks the build's own program, which knows its workloads, for the plan. False: interrupted.
Result<bool> plan_side(AbSide& side, const SuiteOptions& plan) {
  const TemporaryFolder scratch;
  const fs::path output = scratch.path() / "plan.json", log = scratch.path() / "log";
  const auto exit = run_logged({plan_command(side, plan, output), side.folder, {}}, log);
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

// Applies the filters and tags that its program did not get (SuiteOptions::words()).
void select_of_several(AbSide& side, const SuiteOptions& plan) {
  if (!plan.of_several) return;
  PlanOptions wishes;
  wishes.filters = plan.filter.patterns;
  wishes.tags = plan.tags;
  wishes.unmatched = &side.prepared.unmatched;
  ErrorList none;  // what selects no case goes to `unmatched` instead
  select_cases(side.prepared.plan, wishes, none);
}

std::unordered_map<std::string_view, const PlannedCase*> by_id(const Plan& plan) {
  std::unordered_map<std::string_view, const PlannedCase*> all;
  for (const PlannedCase& one : plan.cases) all.emplace(one.id, &one);
  return all;
}

// A build that makes only plugins is measured by this program.
bool makes_only_plugins(const AbSide& side) {
  return !side.built_before() && side.program == this_program();
}

// The modules beside the program that a build made; those of a build without a program are its plugins.
Result<BuildModules> modules_of(const AbSide& side, const AbSide& other) {
  BuildModules modules{side.root.string(), {}, {}, side.prepared.plan.modules};
  if (makes_only_plugins(side) || (side.here && makes_only_plugins(other))) return modules;
  const bool own_folder = side.built_before() && !side.here;
  const fs::path above = own_folder ? side.root : side.program.parent_path().parent_path();
  std::error_code code;
  const fs::path kernels = above / "lib" / kernels_module, cuda = above / "lib" / cuda_module;
  if (!fs::exists(kernels, code))
    return fail(ErrorKind::usage,
                fmt::format("the {} build makes no {}", side.role, kernels.filename().string()));
  modules.kernels = kernels.string();
  if (fs::exists(cuda, code)) modules.cuda = cuda.string();
  return modules;
}

// The time that a file written now in `folder` would have. A clock is coarser than a build is short: files of
// the same tick count as new.
fs::file_time_type now_on(const fs::path& folder) {
  const fs::path probe = folder / ".harness-began";
  std::error_code code;
  if (!write_file_atomically(probe, "")) return fs::file_time_type::min();
  const fs::file_time_type time = fs::last_write_time(probe, code);
  fs::remove(probe, code);
  return time;
}

bool lies_in(const fs::path& folder, const std::string& file) {
  std::error_code code;
  const fs::path below = fs::canonical(file, code).lexically_relative(fs::canonical(folder, code));
  return !code && !below.empty() && *below.begin() != "..";
}

// An error unless the build made a program or a plugin of the suite, or all cases are programs. Otherwise
// both sides would measure the same program.
Status check_made(const AbSide& side, fs::file_time_type began, const std::string& build) {
  const std::vector<PlannedCase>& cases = side.prepared.plan.cases;
  if (std::all_of(cases.begin(), cases.end(), [](const PlannedCase& one) { return one.program.has_value(); }))
    return {};
  const std::vector<std::string>& modules = side.prepared.plan.modules;
  const bool has_plugin = std::any_of(modules.begin(), modules.end(),
                                      [&](const std::string& file) { return lies_in(side.root, file); });
  const std::string advice = fmt::format(
      "`{}` is run in a worktree of the commit and is to leave {}; a suite of another repository names its "
      "plugins in `modules`",
      printable(build), built_program);
  if (side.program == this_program()) {
    if (has_plugin) return {};
    return cannot(side, "its build left neither a program nor a plugin of the suite", advice);
  }
  const std::string wanted = sources_of(side.root, side.commit), &found = side.prepared.built_from;
  if (!wanted.empty() && !found.empty()) {
    if (wanted == found) return {};
    return cannot(side, fmt::format("its build left a {} that was built from another commit", built_program),
                  advice);
  }
  std::error_code code;  // a program that cannot say what it was built from
  if (has_plugin || fs::last_write_time(side.program, code) >= began) return {};
  return cannot(side, fmt::format("its build left a {} that is older than the build", built_program), advice);
}

}  // namespace

Result<AbSide> make_side(const std::string& role, const std::string& revision, const std::string& commit) {
  Result<Worktree> worktree = Worktree::add(".", "ab-" + role, commit);
  if (!worktree) return fail(worktree.error());
  AbSide side{role, revision, commit};
  side.root = worktree->path();
  side.worktree.emplace(std::move(*worktree));
  return side;
}

bool AbSide::has_program() const {
  std::error_code code;
  return !built_before() || here || fs::exists(root / "bin" / "harness", code);
}

namespace {

// Builds the side, or takes its build from the cache. `began`: its files cannot be older. False: interrupted.
Result<bool> build_side(const AbSide& side, const AbOptions& options, fs::file_time_type& began) {
  if (options.keep_builds && restore_build(*side.worktree, side.commit, options.build)) {
    fmt::print(stderr, "{}: built before, in .harness/builds\n", name_of(side));
    return true;
  }
  began = now_on(side.root);
  const Result<Build> build = build_commit(*side.worktree, options.build, name_of(side));
  if (!build) return fail(build.error());
  if (build->interrupted) return false;
  if (!build->why_not.empty())
    return cannot(
        side, build->why_not,
        fmt::format("`{}` is run in a worktree of the commit; name another command with --build, or "
                    "as `build` in the suite",
                    printable(options.build)));
  return true;
}

}  // namespace

Result<bool> ready_side(AbSide& side, const AbOptions& options) {
  fs::file_time_type began = fs::file_time_type::min();
  const Result<bool> built = options.build.empty() ? true : build_side(side, options, began);
  if (!built || !*built) return built;
  if (head_revision(side.root).dirty)
    return cannot(side, "its build changes files that git tracks, so that this commit would not be measured",
                  "let the build write where git ignores it");
  side.folder = side.root / options.folder;
  side.suite = options.suite_file.lexically_relative(options.folder);
  side.program = program_of(*side.worktree);
  std::error_code code;
  if (!fs::exists(side.root / options.suite_file, code))
    return cannot(side, fmt::format("it has no {}", printable(options.suite_file.string())),
                  "A/B needs a suite that both commits have; measure the current one with `harness run`");
  const Result<bool> planned = plan_side(side, options.plan);
  if (!planned || !*planned) return planned;
  if (const Status made = check_made(side, began, options.build); !made) return fail(made.error());
  select_of_several(side, options.plan);
  if (options.keep_builds) keep_build(*side.worktree, side.commit, options.build);
  return true;
}

Result<AbSide> side_built_before(const std::string& role, const std::string& folder) {
  std::error_code code;
  AbSide side{role, folder, {}};
  side.root = fs::canonical(folder, code);
  if (code)
    return fail(ErrorKind::usage, Location{folder}, fmt::format("--{}-build: {}", role, code.message()),
                "name a folder that holds lib/ and bin/ of a build");
  if (!fs::exists(side.root / "lib" / kernels_module, code))
    return fail(ErrorKind::usage, Location{folder},
                fmt::format("--{}-build: it has no lib/{}", role, kernels_module),
                "name the build folder itself; `cmake --build` makes the module there");
  side.folder = fs::current_path();
  side.program = side.has_program() ? side.root / "bin" / "harness" : this_program();
  return side;
}

Result<bool> ready_side_built_before(AbSide& side, const SuiteOptions& plan) {
  side.suite = plan.suite;
  const Result<bool> planned = plan_side(side, plan);
  if (planned && *planned) select_of_several(side, plan);
  return planned;
}

Status can_take_turns(const AbSide& baseline, const AbSide& current) {
  for (const AbSide* side : {&baseline, &current})
    if (!side->has_program())
      return cannot(*side, "it has no bin/harness, so it cannot be measured in processes of its own",
                    "let --pair be `process`, or put the build's own program there");
  return {};
}

Result<PairedBuilds> pair_of(const AbSide& baseline, const AbSide& current, LoadedPairs& loaded) {
  const Result<BuildModules> before = modules_of(baseline, current);
  if (!before) return fail(before.error());
  const Result<BuildModules> after = modules_of(current, baseline);
  if (!after) return fail(after.error());
  PairedBuilds pair{*before, *after};
  for (const auto& [name, device] : current.prepared.devices) {
    const std::string& kind = name;  // clang 14 lets no lambda refer to a structured binding
    const bool used = std::any_of(current.prepared.plan.cases.begin(), current.prepared.plan.cases.end(),
                                  [&](const PlannedCase& one) { return one.device == kind && !one.skip; });
    if (!used) continue;
    if (const Status fits = loaded.load(device, pair, current.folder); !fits) return fail(fits.error());
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
    return one.skip || other.skip || one.workload != other.workload || one.variant != other.variant ||
           one.device != other.device || one.params != other.params;
  });
  return plan;
}

void agree_on_sampling(Plan& baseline, Plan& current, bool accept_proposed) {
  std::unordered_map<std::string_view, PlannedCase*> before;
  for (PlannedCase& one : baseline.cases) before.emplace(one.id, &one);
  for (PlannedCase& now : current.cases) {
    const auto found = before.find(now.id);
    if (found == before.end()) continue;
    PlannedCase& old = *found->second;
    if (!accept_proposed && !same_inputs(old.sampling, now.sampling)) {
      if (!now.suite_sampling) now.suite_sampling = now.sampling;
      now.sampling.inputs = old.sampling.inputs;
      now.sampling.inputs_hash = old.sampling.inputs_hash;
      now.inputs_file = old.inputs_file;
    }
    old.sampling = now.sampling;
    old.inputs_file = now.inputs_file;
    old.metrics = now.metrics;
  }
}

}  // namespace harness
