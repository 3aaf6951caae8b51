// The parts that select both sides of a comparison: records that the user names by file or by id. Used inside
// store/ only.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/store/selected.h"
#include "harness/store/store.h"

namespace harness {

enum class SideKind { baseline, current };

std::string short_hash(const std::string& commit);
std::filesystem::path folder_of(const SelectOptions& options);
Selected make_selected(Record record, Fact<SourceCode> found, int distance = 0);

// HEAD or @: the working tree with its changes, not only the commit.
bool means_working_tree(const std::string& name);

// Whether it is `@` and a name that check_record_name() accepts; a revision such as `@~1` is not.
bool is_saved_name(const std::string& name);
// The record with that name. nullopt when it is no such name.
std::optional<Result<Selected>> select_saved(Store& store, const std::string& name, SideKind kind,
                                             const SelectOptions& options);
// The suites that have a record of that name. An error when none has.
Result<std::set<std::string>> suites_with_name(Store& store, const std::string& name);

// A name that can be nothing else: one that ends in .json, or a whole UUID. nullopt when it is neither.
std::optional<Result<Selected>> select_certain(Store& store, const std::string& name, SideKind kind,
                                               const SelectOptions& options);

// A name that is no revision: the beginning of a record's id, else a file. nullopt when it is neither.
std::optional<Result<Selected>> select_other(Store& store, const std::string& name, SideKind kind,
                                             const SelectOptions& options);

// The error of a name that means no side. One with an extension may be a slip in a file's name.
Error no_side(const std::string& name, Error error);

// The choice among one commit's records, newest first as the store lists them: those of whole suites before
// partial ones.
void whole_runs_first(std::vector<RunInfo>& runs);

}  // namespace harness
