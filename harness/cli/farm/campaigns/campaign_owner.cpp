#include "harness/cli/farm/campaigns/campaign_owner.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "harness/base/text.h"
#include "harness/store/git.h"
#include "harness/store/store.h"

namespace harness {

CampaignOwner owner_here() {
  const passwd* user = getpwuid(geteuid());
  return {user == nullptr ? fmt::to_string(geteuid()) : user->pw_name,
          without_password(repository_name("."))};
}

Status check_owner(const StoredCampaign& campaign, const CampaignOwner& here) {
  const auto differ = [](const std::string& one, const std::string& other) {
    return !one.empty() && !other.empty() && one != other;
  };
  if (!differ(campaign.owner, here.user) && !differ(campaign.repository, here.repository)) return {};
  const std::string id = campaign.id.substr(0, 8);
  return fail(
      ErrorKind::usage,
      fmt::format("the newest campaign of the store, {}, is of {} in {}", id, printable(campaign.owner),
                  campaign.repository.empty() ? "no repository" : printable(campaign.repository)),
      fmt::format("name the campaign, as in `harness farm status {}`; `harness farm list` tells all", id));
}

}  // namespace harness
