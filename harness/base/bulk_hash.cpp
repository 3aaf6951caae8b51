#include "harness/base/bulk_hash.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

namespace harness {
namespace {

constexpr std::uint64_t first_factor = 0x87c37b91114253d5U;
constexpr std::uint64_t second_factor = 0x4cf5ad432745937fU;
constexpr std::size_t block_bytes = 16;

std::uint64_t word_at(const char* bytes, std::size_t count) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, count);
  return word;
}

std::uint64_t mixed_first(std::uint64_t word) {
  return std::rotl(word * first_factor, 31) * second_factor;
}

std::uint64_t mixed_second(std::uint64_t word) {
  return std::rotl(word * second_factor, 33) * first_factor;
}

std::uint64_t finished(std::uint64_t value) {
  value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdU;
  value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53U;
  return value ^ (value >> 33);
}

}  // namespace

std::string bulk_hash(std::string_view bytes) {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= block_bytes; left -= block_bytes, at += block_bytes) {
    first = (std::rotl(first ^ mixed_first(word_at(at, 8)), 27) + second) * 5 + 0x52dce729;
    second = (std::rotl(second ^ mixed_second(word_at(at + 8, 8)), 31) + first) * 5 + 0x38495ab5;
  }
  if (left > 8) second ^= mixed_second(word_at(at + 8, left - 8));
  if (left > 0) first ^= mixed_first(word_at(at, left < 8 ? left : 8));
  first ^= bytes.size();
  second ^= bytes.size();
  first += second;
  second += first;
  first = finished(first);
  second = finished(second);
  first += second;
  second += first;
  return fmt::format("{:016x}{:016x}", first, second);
}

}  // namespace harness
