// Origin: which record a side of a comparison is, for the reader of a report. Pure.
#pragma once

#include "harness/model/results/comparison.h"

namespace harness {

// Id and revision of the record, and the devices that its cases were measured on.
RecordSource source_of(const Record& record);

}  // namespace harness
