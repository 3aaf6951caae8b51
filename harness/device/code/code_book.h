// CodeBook: the machine code that this process has loaded, by kernel. It is told of each image that the
// driver loads. Any thread may add images; one thread does the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/device/code/cubin.h"

namespace harness {

class CodeBook {
 public:
  // The build whose modules are loaded from now on, when one process measures two: each has kernels of the
  // same names.
  // "" with one build.
  void turn(std::string_view side) { side_ = side; }

  // Keeps a copy until digest(), because reading takes time, and the call may be timed. The image belongs to
  // the load that this thread is in the middle of, if any.
  void add(std::span<const std::byte> image);

  // This thread begins to load a module or a library. The images until the end of the load belong to it;
  // without any, the image that it was told to load, if that is a cubin.
  void begin_load();
  void end_load(std::uint64_t handle, std::span<const std::byte> image);

  // A kernel of a module is launched. The module belongs to the build in whose turn that is first, and serves
  // the other one, too, when it is a library's.
  void use(std::uint64_t module);

  // Reads the added images. An image that is no cubin adds nothing.
  void digest();

  // The content_hash(), as records have it, of the function_bytes() of a kernel of the current build. "" where
  // the name has no code or several. Made when it is asked for: a library loads thousands of kernels, and a
  // case launches a few.
  [[nodiscard]] std::string code_hash(const std::string& kernel) const;
  // The hash of all that a kernel can execute or read (whole_code_hashes()), "" where it is uncertain. If the
  // load of one of the `modules` was seen, only that counts; else the kernel's name decides.
  [[nodiscard]] std::string whole_hash(std::span<const std::uint64_t> modules,
                                       const std::string& kernel) const;

 private:
  struct Load {
    std::uint64_t handle = 0;  // once it is known
    int images = 0;
  };
  struct Image {
    std::string side;
    std::vector<std::byte> bytes;
    std::shared_ptr<Load> load;  // that it belongs to; null: none
  };

  std::string side_;
  std::mutex mutex_;
  std::vector<Image> images_;
  // By side. "": several codes.
  std::map<std::string, FunctionBytes, std::less<>> known_;
  std::map<std::string, CodeHashes, std::less<>> whole_;
  std::map<std::thread::id, std::shared_ptr<Load>> loading_;  // threads in the middle of a load
  std::map<std::uint64_t, std::pair<std::shared_ptr<Load>, CodeHashes>> whole_of_;  // by handle
  std::map<std::uint64_t, std::string> side_of_;                                    // of modules, by handle
};

}  // namespace harness
