// A run also writes its table, the file of its record and the name of its record.
#pragma once

#include "harness/cli/run/run_job.h"
#include "harness/model/record.h"

namespace harness {

// Whether a case failed or computed a wrong result.
bool any_failed(const Record& record);

// Until the run ends, its files say that no case was measured. So nobody reads an older run's file as the
// result of a run that was killed.
void write_unfinished(const Record& record, const RunJob& job);

// A run that measured no case does not pass. It skips all if the device is missing or its driver does not
// load.
int check_any_measured(const Record& record, const RunJob& job);

// The table of what was measured. It is the suite's report unless a comparison follows.
void show_measured(const Record& record, const RunJob& job, bool judged, int status);

// Writes the file of the record, and checks that a GPU was used where one is required.
int keep_file(const RunArguments& arguments, const Record& record);

// --save-as. A record with a failed case is nothing to compare with.
int save_as(const RunJob& job, const Record& record);

}  // namespace harness
