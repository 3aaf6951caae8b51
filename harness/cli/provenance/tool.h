// The tool: the program that measures, with the modules and libraries that decide what its cases launch.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/plan.h"
#include "harness/model/record.h"

namespace harness {

// "harness 0.1.0 build 1a2b3c4d5e": version and content of this program and of its modules of kernels.
// Their many megabytes are hashed at the first call.
std::string this_tool();

// The same, followed by "with 5e4d3c2b1a" where the plan has modules of a user or programs: the content of
// the modules, and of the files that the commands of programs name.
std::string tool_of(const Plan& plan);

// Refuses to mix two builds in one record: an error when another tool than tool_of(plan) measured `record`.
Status check_same_tool(const Record& record, const Plan& plan);

// A short hash over the contents of files, without those that are missing.
std::string identity_of_files(const std::vector<std::filesystem::path>& files);

// The build that runs here, part by part: the working folder, what HARNESS_ENVIRONMENT names, and hashes of
// the program, of its modules of kernels, of the variables that workers see, and of the tracked files. The
// files are as git sees them, with uncommitted changes and without committed Markdown. A tree that was
// carried without its repository is known by its commit. Empty, because it cannot be told whether it is the
// same another time: without HARNESS_ENVIRONMENT, for a plan with modules of a user that are no tracked
// Python files, and once the program was replaced, and where git cannot read the repository. All code in the
// folder of a module counts, tracked or not.
BuildParts this_build(const Plan& plan, const Revision& revision);

}  // namespace harness
