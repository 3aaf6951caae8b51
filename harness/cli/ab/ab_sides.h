// Both builds of an A/B run, ready to be measured, and how they are measured together.
#pragma once

#include <optional>
#include <string>

#include "harness/cli/ab/ab_side.h"
#include "harness/measure/schedule/paired_builds.h"
#include "harness/schema/enum_names.h"

namespace harness {

struct AbSides {
  AbSide baseline;
  AbSide current;
};

// A request names two commits, or two folders that hold finished builds.
struct AbRequest {
  SuiteOptions plan;
  std::string baseline = "main";  // commits
  std::string current = "HEAD";
  std::string baseline_build;  // folders; both or none
  std::string current_build;
  std::string build;             // shell command; "": the suite's, else the default
  bool accept_proposed = false;  // the inputs that only the current side states are those of both

  [[nodiscard]] bool built_before() const { return !current_build.empty(); }
};

// Builds and plans both sides. Reports all errors at once. std::nullopt: interrupted.
Checked<std::optional<AbSides>> make_sides(const AbRequest& request);

// Two shell commands that are started here, under one name.
Checked<std::optional<AbSides>> sides_of_commands(const SuiteOptions& options, const std::string& baseline,
                                                  const std::string& current);

// The build command of the request, else of its suite; "" where neither names one.
std::string build_of(const AbRequest& request);

// The same of the commit `base` and of this very program with what is checked out here, uncommitted changes
// included. `here`: what this program would measure.
Checked<std::optional<AbSides>> sides_beside(const AbRequest& request, const std::string& base,
                                             const Prepared& here);

// Every device that either side measures on, with a case of each kind and number of GPUs.
Prepared devices_of_both(const AbSides& sides);

enum class PairMode { automatic, process, session };
template <>
inline constexpr auto enum_names<PairMode> = names<PairMode>({{PairMode::automatic, "auto"},
                                                              {PairMode::process, "process"},
                                                              {PairMode::session, "session"}});

// How both are measured together: in one process if possible, unless the user chose otherwise. Says on
// standard error why it is not possible. std::nullopt: in processes that take turns, or interrupted.
Result<std::optional<PairedBuilds>> choose_pairing(const AbSides& sides, PairMode mode, LoadedPairs& loaded);

}  // namespace harness
