#include "harness/device/code/code_book.h"

#include <type_traits>
#include <utility>

#include "harness/base/files.h"

namespace harness {
namespace {

// Learns what an image has by name: the bytes of functions or hashes of kernels. A name that had something
// else is uncertain from then on.
void learn(FunctionBytes& known, Result<FunctionBytes> found) {
  static_assert(std::is_same_v<FunctionBytes, CodeHashes>);
  if (!found) return;
  for (auto& [name, text] : *found) {
    const auto [place, is_new] = known.try_emplace(name, std::move(text));
    if (!is_new && place->second != text) place->second.clear();
  }
}

}  // namespace

void CodeBook::add(std::span<const std::byte> image) {
  const std::lock_guard lock(mutex_);
  const auto found = loading_.find(std::this_thread::get_id());
  const auto load = found == loading_.end() ? nullptr : found->second;
  if (load) ++load->images;
  images_.push_back({side_, {image.begin(), image.end()}, load});
}

void CodeBook::begin_load() {
  const std::lock_guard lock(mutex_);
  loading_.insert_or_assign(std::this_thread::get_id(), std::make_shared<Load>());
}

void CodeBook::end_load(std::uint64_t handle, std::span<const std::byte> image) {
  const std::lock_guard lock(mutex_);
  const auto found = loading_.extract(std::this_thread::get_id());
  if (!found) return;
  const std::shared_ptr<Load>& load = found.mapped();
  load->handle = handle;
  side_of_.erase(handle);
  if (load->images == 0 && !image.empty()) images_.push_back({side_, {image.begin(), image.end()}, load});
}

void CodeBook::use(std::uint64_t module) {
  const std::lock_guard lock(mutex_);
  side_of_.try_emplace(module, side_);
}

void CodeBook::digest() {
  std::vector<Image> images;
  {
    const std::lock_guard lock(mutex_);
    images = std::exchange(images_, {});
  }
  for (Image& image : images) {
    learn(known_[image.side], function_bytes(image.bytes));
    Result<CodeHashes> whole = whole_code_hashes(image.bytes);
    image.bytes = {};  // a library's images are large
    learn(whole_[image.side], whole);
    if (!image.load || image.load->handle == 0) continue;
    auto& [load, hashes] = whole_of_[image.load->handle];
    if (std::exchange(load, image.load) != image.load) hashes.clear();  // of a module that is gone
    learn(hashes, std::move(whole));
  }
}

std::string CodeBook::code_hash(const std::string& kernel) const {
  const auto side = known_.find(side_);
  if (side == known_.end()) return "";
  const auto found = side->second.find(kernel);
  return found == side->second.end() || found->second.empty() ? "" : content_hash(found->second);
}

std::string CodeBook::whole_hash(std::span<const std::uint64_t> modules, const std::string& kernel) const {
  const auto hash_in = [&](const CodeHashes& hashes) {
    const auto found = hashes.find(kernel);
    return found == hashes.end() ? std::string() : found->second;
  };
  std::string side = side_;
  for (const std::uint64_t module : modules) {
    if (const auto own = whole_of_.find(module);
        own != whole_of_.end() && own->second.second.contains(kernel))
      return hash_in(own->second.second);
    if (const auto first = side_of_.find(module); first != side_of_.end()) side = first->second;
  }
  const auto known = whole_.find(side);
  return known == whole_.end() ? "" : hash_in(known->second);
}

}  // namespace harness
