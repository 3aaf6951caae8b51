#include "harness/schema/rare.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace harness {
namespace {

TEST(Rare, CopiesItsValueAndIsAPointerWide) {
  Rare<std::string> first = std::string("first");
  Rare<std::string> copy = first;
  *copy += " and more";
  EXPECT_EQ(first, std::string("first"));
  EXPECT_EQ(copy, std::string("first and more"));
  copy = first;
  EXPECT_EQ(copy, first);
  copy.reset();
  EXPECT_EQ(copy, std::nullopt);
  EXPECT_FALSE(copy == first);
  const Rare<std::string> moved = std::move(first);
  EXPECT_EQ(moved, std::string("first"));
  EXPECT_EQ(sizeof(moved), sizeof(void*));
}

TEST(Rare, IsAnOptionalToOthers) {
  const std::optional<std::string> none, some = "some";
  EXPECT_EQ(Rare<std::string>(none), std::nullopt);
  Rare<std::string> rare = some;
  EXPECT_EQ(std::optional<std::string>(rare), some);
  EXPECT_EQ(rare.value_or("other"), "some");
  EXPECT_EQ(Rare<std::string>().value_or("other"), "other");
  EXPECT_EQ(rare.emplace("new"), "new");
  EXPECT_FALSE(rare == some.value());
}

}  // namespace
}  // namespace harness
