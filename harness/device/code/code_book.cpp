#include "harness/device/code/code_book.h"

#include <utility>

#include "harness/device/code/cubin.h"

namespace harness {

void CodeBook::add(std::span<const std::byte> image) {
  const std::lock_guard lock(mutex_);
  images_.push_back({side_, {image.begin(), image.end()}});
}

void CodeBook::digest() {
  std::vector<Image> images;
  {
    const std::lock_guard lock(mutex_);
    images = std::exchange(images_, {});
  }
  for (const Image& image : images) {
    const Result<CodeHashes> hashes = code_hashes(image.bytes);
    if (!hashes) continue;
    CodeHashes& known = known_[image.side];
    for (const auto& [name, hash] : *hashes) {
      const auto [found, is_new] = known.emplace(name, hash);
      if (!is_new && found->second != hash) found->second.clear();
    }
  }
}

CodeHashes CodeBook::hashes() const {
  const auto found = known_.find(side_);
  if (found == known_.end()) return {};
  CodeHashes certain = found->second;
  std::erase_if(certain, [](const auto& one) { return one.second.empty(); });
  return certain;
}

}  // namespace harness
