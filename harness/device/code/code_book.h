// CodeBook: hashes of the machine code that this process has loaded, by kernel. It is told of each image that
// the driver loads. Any thread may add images; one thread does the rest.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "harness/device/code/kernel_launches.h"

namespace harness {

class CodeBook {
 public:
  // The build whose modules are loaded from now on, when one process measures two: each has kernels of the
  // same names.
  // "" with one build.
  void turn(std::string_view side) { side_ = side; }

  // Keeps a copy until digest(), because hashing takes time, and the call may be timed.
  void add(std::span<const std::byte> image);

  // Hashes the added images. An image that is no cubin adds nothing.
  void digest();

  // The hashes of the current build's kernels. A name with several codes is left out: it is unknown which one
  // ran.
  [[nodiscard]] CodeHashes hashes() const;

 private:
  struct Image {
    std::string side;
    std::vector<std::byte> bytes;
  };

  std::string side_;
  std::mutex mutex_;
  std::vector<Image> images_;
  std::map<std::string, CodeHashes, std::less<>> known_;  // by side; "" : several codes
};

}  // namespace harness
