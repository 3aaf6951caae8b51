#include "harness/store/tuned_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "harness/base/files.h"
#include "harness/model/tuning/tuned_fields.h"
#include "tests/schema/member_count.h"

namespace harness {
namespace {

static_assert(lists_every_member<TunedCase>());
static_assert(lists_every_member<TunedSuite>());

TunedCase pinned(const std::string& id, int tile) {
  TunedCase one;
  one.id = id;
  one.values = sdk::Params({{"tile", std::int64_t{tile}}, {"order", std::string("rows")}, {"fast", true}});
  one.fixed = sdk::Params({{"tile", std::int64_t{64}}, {"order", std::string("columns")}, {"fast", false}});
  one.ratio = 0.8125;
  one.interval = Interval{0.75, 0.875};
  one.processes = 5;
  one.arms = 12;
  one.device_uuid = "GPU-A";
  one.revision = {std::string(40, 'a'), "main", true, "abcd"};
  one.date = "2026-11-20T10:00:00Z";
  one.tool = "harness 0.1.0";
  return one;
}

TunedSuite suite_of(std::vector<TunedCase> cases) {
  return {"demo", "nvidia-h200", std::move(cases)};
}

TEST(TunedFile, RoundTripIsTheIdentity) {
  const TunedSuite tuned = suite_of({pinned("a", 1), pinned("b", 2)});
  const std::string text = encode_tuned(tuned);
  const auto read = decode_tuned(text, "tuned.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, tuned);
  EXPECT_EQ(encode_tuned(*read), text);
  EXPECT_NE(text.find(R"("format": "harness-tuned")"), std::string::npos);
}

TEST(TunedFile, PinsOfTheTreeAreWrittenBackByteForByte) {
  int seen = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(HARNESS_SOURCE_DIR) + "/baselines")) {
    if (entry.path().extension() != ".json" || entry.path().parent_path().filename() != "tuned") continue;
    ++seen;
    const std::string text = read_file(entry.path().string()).value();
    const auto read = decode_tuned(text, entry.path().string());
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(encode_tuned(*read), text) << entry.path();
  }
  EXPECT_GT(seen, 0);
}

TEST(TunedFile, MistakesAreNamedWithTheirPlace) {
  const auto error = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    const auto read = decode_tuned(text, "tuned.json");
    return read ? std::string() : read.error().text();
  };
  const std::string text = encode_tuned(suite_of({pinned("a", 1), pinned("b", 2)}));
  EXPECT_NE(error(text, "\"version\": 1", "\"version\": 9").find("tuned.json"), std::string::npos);
  EXPECT_NE(error(text, "\"case\": \"b\"", "\"case\": \"a\"").find("cases"), std::string::npos);
  EXPECT_NE(error(text, "0.875", "\"much\"").find("interval"), std::string::npos);
}

TEST(TunedFile, CasesReplaceOlderEntriesAndKeepOthers) {
  const TemporaryFolder folder;
  ASSERT_TRUE(pin_tuned(folder.path(), suite_of({pinned("b", 1), pinned("a", 1)})));
  const auto path = pin_tuned(folder.path(), suite_of({pinned("b", 2)}));
  ASSERT_TRUE(path) << path.error().text();
  EXPECT_EQ(*path, folder.path() / "nvidia-h200" / "tuned" / "demo.json");
  const auto read = read_tuned(folder.path(), "nvidia-h200", "demo");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, suite_of({pinned("a", 1), pinned("b", 2)}));
  EXPECT_NE(find_tuned(*read, "b"), nullptr);
  EXPECT_EQ(find_tuned(*read, "c"), nullptr);
}

// The README of `harness tune` has the table that the fields tell.
TEST(TunedFile, NoFileHasNoCases) {
  const TemporaryFolder folder;
  const auto read = read_tuned(folder.path(), "nvidia-h200", "demo");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->cases.empty());
}

TEST(TunedFile, AFileOfAnotherClassIsRefused) {
  const TemporaryFolder folder;
  ASSERT_TRUE(pin_tuned(folder.path(), suite_of({pinned("a", 1)})));
  ASSERT_TRUE(write_file_atomically(folder.path() / "nvidia-b200" / "tuned" / "demo.json",
                                    encode_tuned(suite_of({pinned("a", 1)}))));
  EXPECT_FALSE(read_tuned(folder.path(), "nvidia-b200", "demo"));
  TunedSuite elsewhere = suite_of({pinned("a", 1)});
  elsewhere.machine_class = "../up";
  EXPECT_FALSE(pin_tuned(folder.path(), elsewhere));
}

}  // namespace
}  // namespace harness
