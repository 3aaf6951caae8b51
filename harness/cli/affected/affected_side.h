// One of the two builds of `harness affected`: a folder, a file, or a revision that is built in a worktree.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/base/result.h"
#include "harness/store/worktree.h"

namespace harness {

// The set-up leaves the CUDA module out where there is no GPU, unless it is told otherwise.
inline constexpr const char* default_affected_build = "HARNESS_CUDA=ON ci/bootstrap.sh";

struct AffectedSide {
  std::string told;             // "main (fbdad41923)", or the path
  std::filesystem::path build;  // the folder or the file
  std::optional<Worktree> worktree = {};
};

// Whether a name means a path: one that is there.
bool is_path(const std::string& name);

// std::nullopt: interrupted.
Result<std::optional<AffectedSide>> affected_side(const std::string& role, const std::string& name,
                                                  const std::string& build);

}  // namespace harness
