// The owner of a campaign: the user who planned it, in a repository. A store that a team shares has campaigns
// of many, and the newest one may be anybody's.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/store/farm/farm_task.h"

namespace harness {

struct CampaignOwner {
  std::string user;
  std::string repository;  // as git names its origin, else its folder; "": none is here
};

// Who calls, and the repository around the current folder.
CampaignOwner owner_here();

// An error if the campaign is of another user or repository, as far as both are known.
Status check_owner(const StoredCampaign& campaign, const CampaignOwner& here);

}  // namespace harness
