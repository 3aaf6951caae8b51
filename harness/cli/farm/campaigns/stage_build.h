// A copy of a build that a campaign measures, so that the tree it was built in can go on changing.
#pragma once

#include <filesystem>

#include "harness/base/result.h"
#include "harness/cli/farm/campaign.h"

namespace harness {

// Copies the files of a side into the folder of its identity below `stage`, each at its whole path there, and
// lets the side and its `modules` (null: it has none) name the copies. The same build is copied once.
Status stage_build(CampaignSide& side, BuildModules* modules, const std::filesystem::path& stage);

}  // namespace harness
