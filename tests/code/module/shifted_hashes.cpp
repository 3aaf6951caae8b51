// shifted_hashes FILE KERNEL: a line for each place, the hash of the kernel's code when it is shifted there.
#include <cstddef>
#include <cstdio>
#include <string>

#include "harness/base/files.h"
#include "harness/code/shift/shifted_file.h"
#include "harness/model/code/shifted_process.h"

int main(int count, char** words) {
  using namespace harness;
  if (count != 3) return 2;
  const auto file = read_file(words[1]);
  if (!file) return 2;
  const std::string kernel = words[2];
  for (std::size_t nops = 0; nops < std::size_t{code_places}; ++nops) {
    const auto shifted =
        shifted_file({reinterpret_cast<const std::byte*>(file->data()), file->size()}, 90, nops, {kernel});
    if (!shifted || !shifted->shifted.contains(kernel)) return 1;
    for (const std::string& hash : shifted->shifted.at(kernel)) std::puts(hash.c_str());
  }
}
