// A look ends where the device tells the launches of no case, because it would prove nothing.
#include "harness/cli/deciding/look_first.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

EncodedResult look(int number, bool told) {
  EncodedResult encoded;
  encoded.result.case_id = std::to_string(number);
  encoded.result.outcome = Outcome::looked_at;
  if (told) encoded.result.identity = Identity{};
  return encoded;
}

// How many cases are looked at until the look ends, of a hundred. `told`: those whose launches are told.
int looked_at(const std::set<int>& told) {
  Looks looks;
  for (int number = 1; number <= 100; ++number)
    if (!keep_look(looks, look(number, told.contains(number)))) return number;
  return 100;
}

TEST(ALook, EndsWhereTheDeviceTellsNothing) {
  EXPECT_EQ(looked_at({}), 16);
}

TEST(ALook, GoesOnWhereItTellsOneCase) {
  EXPECT_EQ(looked_at({3}), 100);
  EXPECT_EQ(looked_at({16}), 100);
}

}  // namespace
}  // namespace harness
