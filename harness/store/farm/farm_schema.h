// The tables of campaigns beyond their tasks; used inside store/ only.
#pragma once

#include <soci/soci.h>

namespace harness {

// Elements and what they saw of their devices; tasks that come later, for the processes of a look.
void add_elements(soci::session& sql);

// How many GPUs a task needs.
void add_task_gpus(soci::session& sql);

// Owners, records and cases of campaigns, and whether one was cancelled; elements that were refused; how long
// tasks were measured in vain.
void add_campaign_owners(soci::session& sql);

}  // namespace harness
