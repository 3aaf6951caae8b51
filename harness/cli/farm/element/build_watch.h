// BuildWatch: whether the builds of a campaign are still those that it was planned with. One thread uses it.
#pragma once

#include <map>
#include <string>

#include "harness/base/result.h"
#include "harness/cli/farm/campaign.h"

namespace harness {

class BuildWatch {
 public:
  explicit BuildWatch(const Campaign& campaign) : campaign_(campaign) {}

  // Reads the contents of files that look otherwise than at the last call: at the first one of all. An error
  // names a build that is another one by the file that is missing or changed, or by its program.
  Status check();

 private:
  const Campaign& campaign_;
  std::map<std::string, std::string> seen_;  // how files looked; suites share some
};

}  // namespace harness
