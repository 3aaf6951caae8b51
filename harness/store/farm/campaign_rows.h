// Rows of the tables `campaigns`, `campaign_records` and `campaign_cases`; used inside store/ only, in a
// transaction.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/store/farm/farm_task.h"
#include "harness/store/sql/database.h"

namespace harness {

void insert_campaign(Database& database, const StoredCampaign& campaign, const CampaignParts& parts);

// The campaign whose id begins so; "": the newest. ErrorKind::missing when there is none.
Status read_campaign(Database& database, const std::string& id, StoredCampaign& campaign);

// All, the newest first.
std::vector<ListedCampaign> read_campaigns(Database& database);

// Cases [first, first + count) of a suite.
std::vector<CampaignCase> read_campaign_cases(Database& database, const std::string& campaign, int suite,
                                              int first, int count);

// Nobody measures it any longer, and its records are no longer those of a campaign.
void cancel_campaign(Database& database, const std::string& campaign);

// With its tasks, and its records that are not complete. Returns how many of these were removed.
int remove_campaign(Database& database, const std::string& campaign);

// An error if the user lacks a right that planning, measuring or judging a campaign needs. `campaign`: "" for
// one that is planned; else only its own role, and members of it, may measure it.
Status check_campaign_rights(Database& database, const std::string& campaign);

}  // namespace harness
