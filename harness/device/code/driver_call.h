// Driver calls: what a program asks of a GPU's driver, as it is seen when it asks. Plain data, without
// addresses of functions and types of the driver, so that tests need neither.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/model/cause.h"

namespace harness {

struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] bool contains(std::uint64_t address) const {
    return address >= begin && address - begin < bytes;
  }
};

// 8 bytes of an argument. They are an address, or look like one, where `memory` is not `none`.
struct Word {
  enum class Memory {
    none,     // nothing that the driver knows of
    device,   // of this GPU
    managed,  // moves between host and GPU
    host,     // of the host, and a GPU can read it
  };
  std::uint64_t value = 0;
  Memory memory = Memory::none;
  AddressRange allocation = {};  // that it lies in
  std::uint64_t id = 0;          // of this allocation; another one at the same place has another id
};

struct DriverCall {
  enum class Kind {
    kernel,
    copy,   // words: to, and from where that is on the device; `content` of what comes from the host
    fetch,  // a copy to the host; words: from
    fill,   // words: to
    order,  // events, waiting by the host, allocating and freeing
  };
  Kind kind = Kind::kernel;
  std::string name;                          // the kernel's, mangled, or the driver function's
  std::optional<std::uint64_t> stream = {};  // handle
  std::optional<std::uint64_t> event = {};   // handle
  // Everything else that is told by numbers: the extent of the grid, sizes, attributes.
  std::vector<std::pair<std::string, std::int64_t>> figures = {};
  std::vector<Word> words = {};  // arguments of a kernel, in order; addresses of a copy
  std::string content = {};      // hash of bytes that come from the host
  std::uint64_t host = 0;        // address of these bytes, or where a fetch puts them
  std::uint64_t context = 0;     // handle; another one is on another GPU, or a part of this one
  // Handles of the module and of the library that the kernel is of; 0 where there is none.
  std::array<std::uint64_t, 2> modules = {};
};

// A call whose effect outlives its case: it wrote memory that was not the case's own.
struct LeftBehind {
  DriverCall call;  // a copy or a fill
  // Handles of the modules whose kernels that case launched. 0: nobody knows of some kernel.
  std::set<std::uint64_t> modules = {};
};

// The driver calls of one case in one process.
struct CallHistory {
  std::vector<LeftBehind> earlier;
  std::vector<DriverCall> before;  // while the kernel was constructed and bound, and in the first call
  std::vector<DriverCall> one;     // of a further call
  std::vector<DriverCall> next;    // of the call after that
  std::set<std::uint64_t> own;     // ids of the allocations that the case made
  std::vector<Cause> gaps;         // what could not be read, in the order in which it was found
};

}  // namespace harness
