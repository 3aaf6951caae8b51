// Campaign: suites that are measured task by task, by as many elements as there are devices. All that an
// element must know stands in it, so that elements need no suite file and no repository.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/measure/schedule/paired_builds.h"
#include "harness/model/plan.h"
#include "harness/store/farm/farm_store.h"

namespace harness {

// One build and its record.
struct CampaignSide {
  std::string record;              // id
  std::string program;             // measures it; absolute, as all paths here
  std::string folder;              // where it is started
  std::vector<std::string> files;  // the build
  std::string identity;            // of their contents, see identity_of_files()
  Plan plan;                       // the cases that can run, the same on all sides
};

struct CampaignSuite {
  std::vector<CampaignSide> sides;  // one, or the baseline and the current build
  std::optional<PairedBuilds> pair = {};
  // By kind: UUID of the device that all is measured on, so that it compares with a stored baseline. Empty:
  // every task has both sides, so each may be measured on another device of the class.
  std::map<std::string, std::string> devices = {};
  std::uint64_t seed = 1;  // of the order of cases and turns
  bool partial = false;    // some of the suite's cases were left out

  [[nodiscard]] const CampaignSide& current() const { return sides.back(); }
};

struct Campaign {
  std::string tool;                 // the program that planned it; elements must be the same
  std::string against;              // what a suite of one side is judged by, or ""
  std::vector<std::string> device;  // that --device named when it was planned
  Seconds lease = 0;
  std::vector<CampaignSuite> suites;
};

std::string encode(const Campaign& campaign);
Result<Campaign> decode_campaign(const StoredCampaign& stored);

// Blocks of so many cases, suite by suite, in the order of the suite.
std::vector<FarmTask> tasks_of(const Campaign& campaign, int block);

}  // namespace harness
