// One of the two builds that `harness ab` measures: its commit in a worktree, built, or a folder that was
// built before; and its program's plan.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/base/result.h"
#include "harness/cli/ab/loaded_pairs.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/measure/schedule/paired_builds.h"
#include "harness/store/worktree.h"

namespace harness {

struct AbSide {
  std::string role;      // "baseline", "current"
  std::string revision;  // as the user named it, or the folder
  std::string commit;    // "" for a folder
  std::optional<Worktree> worktree = {};
  std::filesystem::path root = {};     // the worktree, or the folder that holds bin/ and lib/
  std::filesystem::path folder = {};   // in the worktree, where the user stands in the repository; or here
  std::filesystem::path suite = {};    // seen from `folder`
  std::filesystem::path program = {};  // made by this build, or this program
  Prepared prepared = {};
  std::optional<Revision> here = {};  // the checked-out revision, when the side is this program

  [[nodiscard]] bool built_before() const { return !worktree; }
  [[nodiscard]] bool has_program() const;  // of its own
};

// How both are made and planned.
struct AbOptions {
  SuiteOptions plan;
  std::string build;                 // shell command, run in each worktree
  bool keep_builds = false;          // the build makes nothing beside its program and modules
  std::filesystem::path suite_file;  // relative to the repository
  std::filesystem::path folder;      // where the user stands, likewise
};

// Makes the worktree of a side.
Result<AbSide> make_side(const std::string& role, const std::string& revision, const std::string& commit);

// Builds it and asks its program for its plan. Errors say of which side and commit. False: interrupted.
Result<bool> ready_side(AbSide& side, const AbOptions& options);

// A folder with lib/libharness_kernels.so, lib/libharness_cuda.so where there is one, and bin/harness.
// Without a program of its own this one plans and measures it, with its modules.
Result<AbSide> side_built_before(const std::string& role, const std::string& folder);

// Asks its program for its plan, here. False: interrupted.
Result<bool> ready_side_built_before(AbSide& side, const SuiteOptions& plan);

// An error unless both can be measured in processes of their own: that takes a program of each.
Status can_take_turns(const AbSide& baseline, const AbSide& current);

// The modules of both builds, for measuring both in one process. An error says why that is impossible.
Result<PairedBuilds> pair_of(const AbSide& baseline, const AbSide& current, LoadedPairs& loaded);

// The cases that both sides have and can run here, as the current side plans them.
Plan common_plan(const Plan& baseline, const Plan& current);

// Gives common cases the sampling and the metrics of the current side. Both sides are measured now, so the
// baseline's suite may ask for less. The inputs are those of the baseline's suite, except where what the
// change proposes is accepted.
void agree_on_sampling(Plan& baseline, Plan& current, bool accept_proposed);

}  // namespace harness
