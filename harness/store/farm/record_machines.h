// The machines in the header of a record that several elements fill; used inside store/ only, in a
// transaction.
#pragma once

#include <string>

#include "harness/store/farm/farm_task.h"
#include "harness/store/sql/database.h"

namespace harness {

// Adds the machines of a task's side to its record, which names all devices, as one of a run does that takes
// turns on them. An error of check_alike() if they are unlike those that the record names.
Status add_machines(Database& database, const MeasuredSide& side);

// The record names the device no longer.
Status forget_device(Database& database, const std::string& record, const std::string& device);

}  // namespace harness
