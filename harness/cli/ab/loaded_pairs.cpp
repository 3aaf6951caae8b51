#include "harness/cli/ab/loaded_pairs.h"

#include <algorithm>
#include <utility>

#include "harness/measure/worker/probe.h"

namespace harness {

Status LoadedPairs::load(const std::string& device, const PairedBuilds& pair,
                         const std::filesystem::path& folder) {
  Loaded asked{device, pair, folder};
  if (std::find(loaded_.begin(), loaded_.end(), asked) != loaded_.end()) return {};
  if (Status loaded = probe_pair(device, pair, {}, folder); !loaded) return loaded;
  loaded_.push_back(std::move(asked));
  return {};
}

}  // namespace harness
