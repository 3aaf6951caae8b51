// CodeBook: the machine code that this process has loaded, by kernel. It is told of each image as the driver
// loads it, and keeps a hash a kernel. Images may come from any thread; the rest is one thread's.
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
  // Whose modules are loaded from now on, where two builds are measured in one process: kernels of the same
  // name in both are two. "" where there is one.
  void turn(std::string_view side) { side_ = side; }

  // A copy is kept until digest(): hashing has no place in a call that somebody times.
  void add(std::span<const std::byte> image);

  // Hashes what was added. An image that is no cubin adds nothing.
  void digest();

  // Of the kernels loaded at this side's turn. A name that stands for several codes is left out, because
  // nobody can tell which one ran.
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
