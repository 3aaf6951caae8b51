// Values of 64 bits that may be addresses, and those that lie in memory of the host.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "harness/device/host/readable_memory.h"

namespace harness::inject {

// Where processes have memory. Smaller values are numbers, and so are larger ones.
inline constexpr std::uint64_t least_address = std::uint64_t{1} << 32;
inline constexpr std::uint64_t end_of_addresses = std::uint64_t{1} << 48;

constexpr bool may_be_address(std::uint64_t value) {
  return value >= least_address && value < end_of_addresses;
}

// The memory of the host by its list, which takes milliseconds to read: so it is read again only where a
// value looks like a new address, and not too often. One thread uses it.
class HostAddresses {
 public:
  bool contain(std::uint64_t value) {
    if (value >= end_of_addresses) return false;
    const auto first = static_cast<int>(value >> 40);
    if (std::find(beginnings.begin(), beginnings.end(), first) == beginnings.end()) return false;
    if (knows(value)) return true;
    if (readings_ == most_readings) return false;
    ++readings_;
    ranges_ = readable_host_memory();
    return knows(value);
  }

 private:
  // The host's own memory begins with these: programs, and then libraries and stacks.
  static constexpr std::array beginnings{0x55, 0x56, 0x7e, 0x7f};
  static constexpr int most_readings = 64;

  [[nodiscard]] bool knows(std::uint64_t value) const {  // the list is in order
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), value,
                         [](std::uint64_t address, const AddressRange& one) { return address < one.begin; });
    return after != ranges_.begin() && std::prev(after)->contains(value);
  }

  std::vector<AddressRange> ranges_;
  int readings_ = 0;
};

}  // namespace harness::inject
