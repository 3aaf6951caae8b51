#include "harness/measure/tensors/inputs.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/measure/trial.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class CountedLine : public trial::Line {
 public:
  void reference(const sdk::Params& params, std::span<const sdk::HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    ++references;
    asked = {wanted.begin(), wanted.end()};
    Line::reference(params, inputs, output, wanted, expected);
  }
  mutable int references = 0;
  mutable std::vector<std::int64_t> asked;  // the last time
};

sdk::Params line_of(std::int64_t n) {
  sdk::Params params;
  params.set("n", n);
  return params;
}

TEST(CheckedIndices, AreAllWhenFew) {
  EXPECT_THAT(checked_indices(4, 4096, 1), ElementsAre(0, 1, 2, 3));
}
TEST(CheckedIndices, OfNothingAreNone) {
  EXPECT_THAT(checked_indices(0, 4096, 1), SizeIs(0));
}

TEST(CheckedIndices, AscendWithinBoundsAndIncludeBothEnds) {
  for (const std::int64_t count :
       {std::int64_t{11}, std::int64_t{4097}, std::int64_t{5000}, std::int64_t{1} << 40})
    for (const std::int64_t limit : {10, 4096}) {
      const std::vector<std::int64_t> indices = checked_indices(count, limit, 7);
      EXPECT_EQ(indices.front(), 0);
      EXPECT_EQ(indices.back(), count - 1);
      EXPECT_LE(static_cast<std::int64_t>(indices.size()), std::min(count, limit));
      EXPECT_GE(static_cast<std::int64_t>(indices.size()), std::min(count, limit) - 1);
      EXPECT_TRUE(std::is_sorted(indices.begin(), indices.end(), std::less_equal<>()))
          << count << " " << limit;
    }
}

TEST(CheckedIndices, LeaveNoStretchUnchecked) {
  const std::vector<std::int64_t> indices = checked_indices(1'000'000, 1000, 3);
  for (std::size_t i = 1; i < indices.size(); ++i) EXPECT_LE(indices[i] - indices[i - 1], 2000);
}

TEST(CheckedIndices, DifferBySeedAndNotByCall) {
  EXPECT_EQ(checked_indices(100'000, 100, 1), checked_indices(100'000, 100, 1));
  EXPECT_NE(checked_indices(100'000, 100, 1), checked_indices(100'000, 100, 2));
}

TEST(CheckedIndices, OfGroupsAreTheirElements) {
  const std::vector<std::int64_t> indices = checked_indices(10'000, 120, 3, 30);
  ASSERT_THAT(indices, SizeIs(4 * 30 - 20)) << "the last group has ten elements";
  for (std::size_t i = 0; i < indices.size(); ++i)
    EXPECT_EQ(indices[i] % 30, static_cast<std::int64_t>(i % 30)) << i;
  EXPECT_EQ(indices.front(), 0);
  EXPECT_EQ(indices.back(), 9999);
  EXPECT_NE(indices, checked_indices(10'000, 120, 4, 30));
  EXPECT_THAT(checked_indices(120, 120, 3, 30), SizeIs(120));
  EXPECT_THAT(checked_indices(10'000, 30, 3, 30), SizeIs(4 * 30 - 20)) << "four groups at least";
}

TEST(InputSeed, DependsOnEverythingButTheVariant) {
  const std::set<std::uint64_t> seeds{input_seed("a", line_of(1), 1, 1), input_seed("b", line_of(1), 1, 1),
                                      input_seed("a", line_of(2), 1, 1), input_seed("a", line_of(1), 2, 1),
                                      input_seed("a", line_of(1), 1, 2)};
  EXPECT_THAT(seeds, SizeIs(5));
}

TEST(InputCache, ComputesAReferenceOnce) {
  const CountedLine line;
  InputCache cache;
  const auto first = cache.get(line, line_of(10), line.problem(line_of(10)), 5);
  EXPECT_EQ(cache.get(line, line_of(10), line.problem(line_of(10)), 5), first);
  EXPECT_EQ(line.references, 1);
  EXPECT_NE(cache.get(line, line_of(10), line.problem(line_of(10)), 6), first);
  EXPECT_NE(cache.get(line, line_of(11), line.problem(line_of(11)), 5), first);
  EXPECT_EQ(line.references, 3);
}

TEST(InputCache, HoldsTheRightAnswers) {
  const trial::Line line;
  InputCache cache;
  const auto inputs = cache.get(line, line_of(10), line.problem(line_of(10)), 5);
  ASSERT_THAT(inputs->expected, SizeIs(1));
  ASSERT_THAT(inputs->expected[0].values, SizeIs(10));
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(inputs->expected[0].values[i], 2 * inputs->inputs[0].at(static_cast<std::int64_t>(i)) + 1);
}

TEST(InputCache, ComputesAFewAnswersForALook) {
  const CountedLine line;
  InputCache cache;
  const auto few = cache.get(line, line_of(1000), line.problem(line_of(1000)), 5, InputCache::Answers::few);
  EXPECT_THAT(few->expected.at(0).values, SizeIs(few_elements));
  const auto all = cache.get(line, line_of(1000), line.problem(line_of(1000)), 5);
  EXPECT_THAT(all->expected.at(0).values, SizeIs(1000));
}

TEST(InputDigest, CoversNameTypeShapeAndEveryByte) {
  CaseInputs inputs;
  inputs.inputs.emplace_back(sdk::TensorSpec{"x", sdk::Role::input, sdk::DType::f32, {1 << 19}});
  const std::string digest = input_digest(inputs);
  EXPECT_EQ(input_digest(inputs), digest);
  const auto changed = [&](auto change) {
    CaseInputs other = inputs;
    change(other.inputs[0]);
    return input_digest(other) != digest;
  };
  EXPECT_TRUE(changed([](sdk::HostTensor& x) { x.spec.name = "z"; }));
  EXPECT_TRUE(changed([](sdk::HostTensor& x) { x.spec.dtype = sdk::DType::i32; }));
  EXPECT_TRUE(changed([](sdk::HostTensor& x) { x.spec.shape = {1 << 18, 2}; }));
  for (const std::size_t byte : {std::size_t{0}, std::size_t{1} << 20, (std::size_t{1} << 21) - 1})
    EXPECT_TRUE(changed([&](sdk::HostTensor& x) { x.data[byte] ^= std::byte{1}; })) << byte;
}

TEST(InputCache, KeepsTheDigestOfInputsThatItHolds) {
  const trial::Line line;
  InputCache cache;
  const auto inputs = cache.get(line, line_of(10), line.problem(line_of(10)), 5);
  EXPECT_EQ(cache.digest(*inputs), input_digest(*inputs));
  EXPECT_EQ(cache.digest(*inputs), cache.digest(*inputs));
  EXPECT_EQ(InputCache().digest(*inputs), input_digest(*inputs)) << "of inputs that it dropped, too";
}

// The list of them is kept, as long as it is no large part of what may be.
TEST(InputCache, AsksForEveryElementOfOutputsOfAnySizeInAnyOrder) {
  for (const std::size_t limit : {std::size_t{1}, std::size_t{1} << 24}) {
    const CountedLine line;
    InputCache cache(limit);
    for (const std::int64_t n : {1000, 1100, 10, 500'000, 1126, 500'001, 562'500, 562'501, 1}) {
      std::vector<std::int64_t> all(static_cast<std::size_t>(n));
      std::iota(all.begin(), all.end(), 0);
      cache.get(line, line_of(n), line.problem(line_of(n)), 5);
      EXPECT_EQ(line.asked, all) << n;
    }
  }
}

TEST(InputCache, ListsTheElementsThatAreCheckedWhereItIsNotAll) {
  const trial::Line line;
  InputCache cache;
  sdk::Params claims = line_of(10'000);
  claims.set("flops", 1e9);
  const auto some = cache.get(line, claims, line.problem(claims), 5);
  EXPECT_EQ(some->expected[0].indices, checked_indices(10'000, sampled_elements, 5));
  EXPECT_EQ(some->expected[0].index(1), some->expected[0].indices[1]);
  EXPECT_TRUE(some->expected[0].contains(9999));
  const std::int64_t between = some->expected[0].indices[1] + 1;
  EXPECT_EQ(some->expected[0].contains(between), some->expected[0].indices[2] == between);
  const auto all = cache.get(line, line_of(10), line.problem(line_of(10)), 5);
  EXPECT_THAT(all->expected[0].indices, SizeIs(0));
  EXPECT_EQ(all->expected[0].index(7), 7);
  EXPECT_TRUE(all->expected[0].contains(9));
  EXPECT_FALSE(all->expected[0].contains(10));
  EXPECT_FALSE(all->expected[0].contains(-1));
}

TEST(InputCacheLimit, IsAQuarterOfTheMemoryWithinBounds) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  EXPECT_EQ(kept_memory_limit(32 * gib, {}), 8 * gib);
  EXPECT_EQ(kept_memory_limit(32 * gib, 16 * gib), 4 * gib) << "a control group grants less than there is";
  EXPECT_EQ(kept_memory_limit(16 * gib, 32 * gib), 4 * gib);
  EXPECT_EQ(kept_memory_limit(500 * gib, {}), 32 * gib);
  EXPECT_EQ(kept_memory_limit(gib, {}), gib / 2);
  EXPECT_EQ(kept_memory_limit({}, {}), gib / 2) << "nothing is known";
  EXPECT_EQ(kept_memory_limit({}, 64 * gib), gib / 2);
}

TEST(InputCache, ForgetsTheLeastRecentlyUsedBeyondItsLimit) {
  const CountedLine line;
  const auto get = [&](InputCache& cache, std::int64_t n) {
    return cache.get(line, line_of(n), line.problem(line_of(n)), 1);
  };
  InputCache cache(30'000);  // two of a thousand elements, 4 bytes and 8 of answers each
  const auto first = get(cache, 1000);
  get(cache, 1001);
  get(cache, 1000);
  get(cache, 1002);  // 1001 goes
  const int before = line.references;
  EXPECT_EQ(get(cache, 1000), first);
  EXPECT_EQ(line.references, before);
  get(cache, 1001);
  EXPECT_EQ(line.references, before + 1);
}

TEST(InputCache, GivesWhatIsLargerThanItsLimitToo) {
  const trial::Line line;
  InputCache cache(1);
  EXPECT_THAT(cache.get(line, line_of(10), line.problem(line_of(10)), 1)->inputs, SizeIs(1));
}

}  // namespace
}  // namespace harness
