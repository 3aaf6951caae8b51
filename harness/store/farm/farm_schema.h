// The tables of campaigns; used inside store/ only.
#pragma once

#include <soci/soci.h>

namespace harness {

// Campaigns with their tasks, elements, records and cases, and what elements saw of their devices.
void create_campaigns(soci::session& sql);

}  // namespace harness
