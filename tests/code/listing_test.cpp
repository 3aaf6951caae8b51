// Instructions of machine code, told apart and aligned. The words are those of ptxas 13.0.
#include "harness/code/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace harness {
namespace {

using testing::ElementsAre;

struct Word {
  std::uint64_t low, high;
};
std::string code_of(const std::vector<Word>& words) {
  std::string code;
  for (const Word& one : words) code.append(reinterpret_cast<const char*>(&one), sizeof one);
  return code;
}

// From one kernel's loop, for each architecture.
constexpr Word load_90{0x00000006040c7981, 0x004ea2000c1e9d00},
    store_90{0x0000000c02007986, 0x0045d8000c101d06};
constexpr Word load_80{0x0000000402037981, 0x000ea2000c1e9900};
constexpr Word nop{0x0000000000007918, 0x000fc00000000000};
constexpr Word exit{0x000000000000794d, 0x000fea0003800000};
constexpr Word to_itself_90{0xfffffffc00fc7947, 0x000fc0000383ffff},
    to_itself_80{0xfffffff000007947, 0x000fc0000383ffff};
// Three instructions back: -64 bytes from the next one.
constexpr Word back_90{0xfffffffc00f08947, 0x000fea000383ffff},
    back_80{0xffffffc000008947, 0x000fea000383ffff};

std::vector<std::string> texts(const std::vector<Instruction>& listing) {
  std::vector<std::string> all;
  for (const Instruction& one : listing) all.push_back(one.text);
  return all;
}

TEST(Listing, TellsWidthsAndBranchesOfEachEncoding) {
  const auto newer =
      listing_of(code_of({load_90, store_90, store_90, back_90, exit, to_itself_90, nop, nop}), "sm_90a");
  EXPECT_THAT(texts(newer),
              ElementsAre("LDG.128", "STG.128", "STG.128", "@P BRA back 3", "EXIT", "BRA back 0"));
  EXPECT_EQ(newer[3].target, 0);
  EXPECT_EQ(newer[5].target, 5);
  const auto older = listing_of(code_of({load_80, load_80, load_80, back_80, exit, to_itself_80}), "sm_86");
  EXPECT_THAT(texts(older), ElementsAre("LDG.32", "LDG.32", "LDG.32", "@P BRA back 3", "EXIT", "BRA back 0"));
  EXPECT_EQ(older[3].target, 0);
}

TEST(Listing, CountsInnermostLoopsAndAccesses) {
  const CodeProfile profile = profile_of(
      listing_of(code_of({exit, load_90, store_90, load_90, back_90, back_90, to_itself_90}), "sm_90"), {});
  EXPECT_EQ(profile.loops, 2) << "neither holds the other, and the last branch is no loop";
  EXPECT_EQ(profile.loop_instructions, 8);
  EXPECT_EQ(profile.global_by_width, (std::array<std::int64_t, access_widths>{0, 0, 0, 0, 3}));
  EXPECT_EQ(profile.loop_by_class[static_cast<std::size_t>(InstructionClass::global)], 5);
}

TEST(Listing, OfBothSidesIsAlignedAroundWhatDiffers) {
  const auto before =
      listing_of(code_of({exit, exit, load_90, load_90, store_90, exit, exit, exit}), "sm_90");
  const auto after = listing_of(code_of({exit, exit, load_90, store_90, exit, exit, exit}), "sm_90");
  CodeSides sides;
  align(before, after, sides);
  EXPECT_EQ(sides.different, 1);
  EXPECT_THAT(sides.lines, ElementsAre(CodeLine{"LDG.128", "LDG.128", true}, CodeLine{"LDG.128", ""},
                                       CodeLine{"STG.128", "STG.128"}));
  CodeSides equal;
  align(before, before, equal);
  EXPECT_EQ(equal.different, 0);
  EXPECT_TRUE(equal.lines.empty());
}

TEST(Listing, ShowsNoMoreLinesThanAPageTakes) {
  const std::vector<Word> loads(100, load_90), stores(100, store_90);
  CodeSides sides;
  align(listing_of(code_of(loads), "sm_90"), listing_of(code_of(stores), "sm_90"), sides);
  EXPECT_EQ(sides.different, 100);
  EXPECT_EQ(sides.lines.size(), most_code_lines);
  EXPECT_FALSE(sides.too_long);
  const std::vector<Word> many(4000, load_90), others(4000, store_90);
  align(listing_of(code_of(many), "sm_90"), listing_of(code_of(others), "sm_90"), sides);
  EXPECT_TRUE(sides.too_long);
  align(listing_of(code_of(many), "sm_90"), listing_of(code_of(many), "sm_90"), sides);
  EXPECT_FALSE(sides.too_long) << "equal ends cost nothing";
}

TEST(Listing, OfAnyBytesEnds) {
  std::string code(16 * 64, '\0');
  for (std::size_t i = 0; i < code.size(); ++i) code[i] = static_cast<char>(i * 2654435761U >> 13U);
  for (const char* const architecture : {"sm_75", "sm_90a", "compute_90", ""}) {
    const auto listing = listing_of(code, architecture);
    EXPECT_EQ(profile_of(listing, {}).figures, KernelFigures{});
    EXPECT_LE(listing.size(), 64u);
  }
  EXPECT_TRUE(listing_of("", "sm_90").empty());
}

}  // namespace
}  // namespace harness
