// LoadedPairs: pairs of builds that a worker has loaded side by side. The suites of one command share them,
// because starting a worker on a GPU takes most of a second. One thread uses it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/measure/schedule/paired_builds.h"

namespace harness {

class LoadedPairs {
 public:
  // Asks a worker as probe_pair() does, unless one has loaded the pair on this device in this folder before.
  Status load(const std::string& device, const PairedBuilds& pair, const std::filesystem::path& folder);

 private:
  struct Loaded {
    std::string device;
    PairedBuilds pair;
    std::filesystem::path folder;

    bool operator==(const Loaded&) const = default;
  };

  std::vector<Loaded> loaded_;
};

}  // namespace harness
