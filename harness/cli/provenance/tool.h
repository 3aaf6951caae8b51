// The tool: the program that measures, with the modules and libraries that decide what its cases launch.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/plan.h"
#include "harness/model/record.h"

namespace harness {

// "harness 0.1.0 build 1a2b3c4d5e": version and content of this program and of the CUDA module beside it.
// Their many megabytes are hashed at the first call.
std::string this_tool();

// The same, followed by "with 5e4d3c2b1a" where the plan has modules of a user or programs: the content of
// the modules, and of the files that the commands of programs name.
std::string tool_of(const Plan& plan);

// Refuses to mix two builds in one record: an error when another tool than tool_of(plan) measured `record`,
// or a part of Record::build is another one now.
Status check_same_tool(const Record& record, const Plan& plan);

// A short hash over the contents of files, without those that are missing.
std::string identity_of_files(const std::vector<std::filesystem::path>& files);

// Record::build: part by part. A file stands for its content, and one of many megabytes for its size and when
// it was written. Files of the program's folder and of folders beside it are named "./lib/x.so", and always
// stand for their content. "environment" is a hash over environment::steering(). Empty: not known.
using BuildParts = std::map<std::string, std::string>;

// This program, its CUDA module, the variables, and the loader's cache, which says where libraries are found.
BuildParts this_build();

// Adds the shared objects that a running process has mapped. Returns whether that changed anything. An object
// that was removed meanwhile counts as one that changed.
bool add_mapped(BuildParts& build, int process);

// The first part that is another one now; std::nullopt where all are as they were.
std::optional<std::string> changed_part(const BuildParts& build);

}  // namespace harness
