// Where a function of the host refers to something outside of itself, by decoding its instructions. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace harness {

// A place in the code that holds the distance to an address.
struct HostReference {
  std::uint32_t at = 0;      // offset of the distance
  std::uint32_t bytes = 0;   // of it
  std::uint64_t target = 0;  // the address
  std::uint32_t reads = 0;   // bytes that the instruction reads or writes there; 0: it takes the address
  bool jumps = false;        // a call or a jump
};

// The references of x86-64 code that lies at `address`, in their order. Jumps within it are left out. Nothing
// where some byte begins no instruction.
std::optional<std::vector<HostReference>> host_references(std::string_view code, std::uint64_t address);

}  // namespace harness
