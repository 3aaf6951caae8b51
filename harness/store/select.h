// Selecting the two sides of a comparison: by revision through the store, by pinned baseline file,
// by a record's id or by path.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/store/selected.h"
#include "harness/store/store.h"

namespace harness {

// The record with this UUID, found as this run.
Result<Selected> select_stored(Store& store, const std::string& id);

// A side is named by the path of a record file, by `@` and the name of a record, or by a record's id. The
// first 8 or more characters of an id suffice where they name no revision. An unfinished record is refused as
// a baseline (missing) and marked as the current side. A record of another suite than options.suite is an
// error.

// The side that a record file is, by its record without cases.
Selected select_file_header(Record header, const std::filesystem::path& path);

// An error unless the text can name a record.
Status check_record_name(const std::string& name);

// An error when `name` can mean no side at all: no such file, record or revision. Cheap; loads no record.
Status check_side_name(Store& store, const std::string& name, const std::filesystem::path& folder);

// The current side: a named record; or the newest complete record of a revision, preferably of the whole
// suite. For HEAD of a dirty tree it is a record of a dirty tree, preferably of the same changes;
// source.found says which.
Result<Selected> select_current(Store& store, const std::string& name, const SelectOptions& options);

// The same for each suite that the revision or `@NAME` has records of, by name: one side a suite. Where
// `baseline` names records, only the sides of their suites.
Result<std::vector<Selected>> select_current_of_suites(Store& store, const std::string& name,
                                                       const std::string& baseline,
                                                       const SelectOptions& options);

// The baseline: a named record; else, case by case, from the history of `name` behind its merge base with the
// current commit (README.md, The baseline). It is of the same device if possible, and pooled over records of
// the same code. source.found counts the records left out and pooled. Else ErrorKind::missing with advice.
// Never the current record itself (ErrorKind::usage when named).
Result<Selected> select_baseline(Store& store, const std::string& name, const Selected& current,
                                 const SelectOptions& options);

// Whether `current` is the first record of its suite on its device behind `name`, and `name` is no older
// commit that could be built and measured: then nothing can judge it yet.
bool is_first_here(Store& store, const std::string& name, const Selected& current,
                   const SelectOptions& options);

}  // namespace harness
