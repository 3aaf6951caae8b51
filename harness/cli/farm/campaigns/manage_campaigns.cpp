#include "harness/cli/farm/campaigns/manage_campaigns.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "harness/base/text.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/options/store_options.h"
#include "harness/report/numbers.h"
#include "harness/store/farm/farm_store.h"

namespace harness {
namespace {

struct CampaignArguments {
  std::string campaign;
  StoreOption store;
};

// The state of a campaign in a word or two.
std::string state_of(const ListedCampaign& one) {
  if (one.cancelled) return "cancelled";
  if (one.done == one.tasks) return "measured";
  return one.leased > 0 ? "being measured" : "waiting for elements";
}

int list_campaigns(const CampaignArguments& arguments, const CommandLine& /*line*/) {
  const auto farm = FarmStore::open(arguments.store.url);
  if (!farm) return report_error(farm.error());
  const auto campaigns = (*farm)->list();
  if (!campaigns) return report_error(campaigns.error());
  for (const ListedCampaign& one : *campaigns)
    fmt::print("{}  {}  {} of {} done, {}  {}  {}\n", one.id, one.created, one.done,
               report::counted(static_cast<std::size_t>(one.tasks), "task is", "tasks are"), state_of(one),
               printable(one.owner), printable(one.repository));
  return exit_ok;
}

// The campaign, which must be named.
Result<StoredCampaign> find_named(FarmStore& farm, const std::string& id) {
  if (id.empty())
    return fail(ErrorKind::usage, "which campaign?", "`harness farm list` tells which there are");
  return farm.find(id);
}

int cancel_campaign(const CampaignArguments& arguments, const CommandLine& /*line*/) {
  const auto farm = FarmStore::open(arguments.store.url);
  if (!farm) return report_error(farm.error());
  const auto campaign = find_named(**farm, arguments.campaign);
  if (!campaign) return report_error(campaign.error());
  if (const Status done = (*farm)->cancel(campaign->id); !done) return report_error(done.error());
  fmt::print("campaign {} is cancelled; its elements end\n", campaign->id);
  return exit_ok;
}

int delete_campaign(const CampaignArguments& arguments, const CommandLine& /*line*/) {
  const auto farm = FarmStore::open(arguments.store.url);
  if (!farm) return report_error(farm.error());
  const auto campaign = find_named(**farm, arguments.campaign);
  if (!campaign) return report_error(campaign.error());
  const auto open = (*farm)->open_tasks(campaign->id);
  if (!open) return report_error(open.error());
  if (!campaign->cancelled && !open->empty())
    return report_error({ErrorKind::usage,
                         fmt::format("campaign {} has tasks that are not done", campaign->id),
                         {},
                         fmt::format("cancel it first: harness farm cancel {}", campaign->id.substr(0, 8))});
  const Result<int> records = (*farm)->remove(campaign->id);
  if (!records) return report_error(records.error());
  fmt::print("campaign {} is deleted, with {} that no verdict ended\n", campaign->id,
             report::counted(static_cast<std::size_t>(*records), "record", "records"));
  return exit_ok;
}

}  // namespace

void add_campaign_commands(Commands& below) {
  const auto arguments = std::make_shared<CampaignArguments>();
  const auto add = [&](const char* name, const char* about, auto run) {
    CLI::App& command = below.add(name, about, arguments, run);
    arguments->store.add_to(command);
    return &command;
  };
  add_examples(*add("list", "List the campaigns of a store, the newest first", list_campaigns),
               {"harness farm list"});
  for (CLI::App* command :
       {add("cancel", "End a campaign: nobody measures its tasks any longer", cancel_campaign),
        add("delete", "Remove a campaign that is measured or cancelled; complete records stay",
            delete_campaign)}) {
    command->add_option("campaign", arguments->campaign, "how its id begins")->required();
    add_examples(*command, {fmt::format("harness farm {} $CAMPAIGN", command->get_name())});
  }
}

}  // namespace harness
