#include "harness/base/bulk_hash.h"

#include <gtest/gtest.h>

#include <set>

namespace harness {
namespace {

// Published values of MurmurHash3_x64_128 with seed 0.
TEST(BulkHash, AgreesWithPublishedValues) {
  EXPECT_EQ(bulk_hash(""), "00000000000000000000000000000000");
  EXPECT_EQ(bulk_hash("hello"), "cbd8a7b341bd9b025b1e906a48ae1d19");
  EXPECT_EQ(bulk_hash("The quick brown fox jumps over the lazy dog"), "e34bbc7bbc071b6c7a433ca9c49a9347");
}

TEST(BulkHash, DiffersWithEveryBitAndWithTheLength) {
  for (const std::size_t length : {1U, 7U, 8U, 9U, 15U, 16U, 17U, 40U}) {
    std::string text(length, 'a');
    std::set<std::string> seen{bulk_hash(text), bulk_hash(text + 'a'), bulk_hash(text + '\0')};
    for (char& byte : text)
      for (int bit = 0; bit < 8; ++bit) {
        byte = static_cast<char>(byte ^ (1 << bit));
        seen.insert(bulk_hash(text));
        byte = static_cast<char>(byte ^ (1 << bit));
      }
    EXPECT_EQ(seen.size(), 3 + 8 * length);
  }
}

}  // namespace
}  // namespace harness
