// MessageSeal: signs a worker's messages, so that no code of a variant can send one. The parent gives the
// worker a key before any module is loaded. A signature is a keyed hash of a line and its number, so no line
// can be changed, repeated or left out. It does not stop code that reads the key from the memory of its own
// process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace harness {

class MessageSeal {
 public:
  explicit MessageSeal(std::string key) : key_(std::move(key)) {}

  // "sealed SIGNATURE LINE" of the next line.
  std::string seal(std::string_view line);
  // The next line without its signature; std::nullopt when it is not of this key, or not the next.
  std::optional<std::string> open(std::string_view sealed);

 private:
  [[nodiscard]] std::string signature(std::string_view line) const;

  std::string key_;
  std::uint64_t count_ = 0;
};

// The first sealed line: everything after it is sealed.
inline constexpr std::string_view seal_begins = "sealing";

// Whether a line claims to be sealed. A worker of an older build seals nothing.
bool is_sealed(std::string_view line);

}  // namespace harness
