// Ceilings that are kept for a session: when they count, and when the device is measured again.
#include "harness/measure/schedule/ceiling_cache.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/base/files.h"
#include "harness/device/scripted/scripted_device.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr double noon = 1.8e9;

Machine machine() {
  return {"nvidia-h200", "GPU-A", {{"driver", "580.1", FieldClass::warn}}, {}};
}

class CeilingCacheTest : public testing::Test {
 protected:
  void keep(double measured = noon) {
    ASSERT_TRUE(cache_.keep(machine(), {{{"copy_bytes_per_s", 4.2e12}}, measured}).has_value());
  }
  [[nodiscard]] bool counts(const Machine& of, double now = noon + 1) const {
    return cache_.find(of, now).has_value();
  }
  void overwrite(const std::string& text) { std::ofstream(cache_.path_of("GPU-A")) << text; }

  TemporaryFolder folder_;
  CeilingCache cache_{folder_.path() / "deeper", "this boot"};
};

TEST_F(CeilingCacheTest, KeepsWhatWasMeasured) {
  EXPECT_FALSE(counts(machine()));
  keep();
  const auto found = cache_.find(machine(), noon + 60);
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(found->ceilings, ElementsAre(Pair("copy_bytes_per_s", 4.2e12)));
  EXPECT_EQ(found->measured, noon);
}

TEST_F(CeilingCacheTest, CountsForOneSessionOnly) {
  keep();
  EXPECT_TRUE(counts(machine(), noon + CeilingCache::lifetime));
  EXPECT_FALSE(counts(machine(), noon + CeilingCache::lifetime + 1));
  EXPECT_FALSE(counts(machine(), noon - 1)) << "the clock was set back";
  const CeilingCache brief(folder_.path() / "deeper", "this boot", 60);
  EXPECT_TRUE(brief.find(machine(), noon + 60).has_value());
  EXPECT_FALSE(brief.find(machine(), noon + 61).has_value());
}

TEST_F(CeilingCacheTest, DoesNotCountForAnotherDeviceDriverOrBoot) {
  keep();
  Machine other = machine();
  other.device_uuid = "GPU-B";
  EXPECT_FALSE(counts(other));
  other = machine();
  other.machine_class = "nvidia-h100";
  EXPECT_FALSE(counts(other));
  other = machine();
  other.fields[0].value = "590.1";
  EXPECT_FALSE(counts(other));
  EXPECT_FALSE(CeilingCache(folder_.path() / "deeper", "next boot").find(machine(), noon + 1).has_value());
}

TEST_F(CeilingCacheTest, MeasuresAnewWhereTheFileIsBroken) {
  keep();
  const std::string good = *read_file(cache_.path_of("GPU-A"));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    overwrite(text.replace(at, from.size(), to));
    return counts(machine());
  };
  EXPECT_TRUE(with("4.2e+12", "4.1e+12")) << "the test would find nothing wrong with anything";
  EXPECT_FALSE(with("\"version\": 1", "\"version\": 2"));
  EXPECT_FALSE(with("4.2e+12", "-1"));
  EXPECT_FALSE(with("4.2e+12", "\"fast\""));
  EXPECT_FALSE(with("4.2e+12", "1e999"));
  EXPECT_FALSE(with("\"measured\"", "\"measure\""));
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), good.substr(0, 40), std::string(1 << 20, ' ')}) {
    overwrite(text);
    EXPECT_FALSE(counts(machine())) << text.size();
  }
  keep();
  EXPECT_TRUE(counts(machine()));
}

TEST_F(CeilingCacheTest, ForgetsOnRequestAndNeedsNoFolder) {
  keep();
  cache_.forget("GPU-A");
  EXPECT_FALSE(counts(machine()));
  const CeilingCache none("", "");
  EXPECT_TRUE(none.keep(machine(), {{{"copy_bytes_per_s", 1}}, noon}).has_value());
  EXPECT_FALSE(none.find(machine(), noon).has_value());
  EXPECT_EQ(cache_.path_of("../x").parent_path(), folder_.path() / "deeper");
}

TEST_F(CeilingCacheTest, MeasuresOnceAndThenSaysWhenItDid) {
  Script script;
  script.machine = machine();
  script.machine.ceilings = {{"copy_bytes_per_s", 4e12}};
  script.started = noon;
  ScriptedDevice first(script);
  Machine told = first.fingerprint();
  add_ceilings(told, first, cache_);
  EXPECT_THAT(told.ceilings, ElementsAre(Pair("copy_bytes_per_s", 4e12)));
  EXPECT_EQ(told.fields.size(), 1U);
  script.machine.ceilings = {{"copy_bytes_per_s", 5e12}};
  script.started = noon + 3600;
  ScriptedDevice second(script);
  told = second.fingerprint();
  add_ceilings(told, second, cache_);
  EXPECT_THAT(told.ceilings, ElementsAre(Pair("copy_bytes_per_s", 4e12))) << "of the session's first run";
  ASSERT_EQ(told.fields.size(), 2U);
  EXPECT_EQ(told.fields[1], (MachineField{"ceilings_measured", "2027-01-15T08:00:00Z", FieldClass::info}));
  script.started = noon + 2 * CeilingCache::lifetime;
  ScriptedDevice third(script);
  told = third.fingerprint();
  add_ceilings(told, third, cache_);
  EXPECT_THAT(told.ceilings, ElementsAre(Pair("copy_bytes_per_s", 5e12)));
}

// In a container with fewer CPUs the same machine reaches less.
TEST_F(CeilingCacheTest, OfACpuIsOfItsThreadsAndGovernor) {
  setenv("HARNESS_CACHE_DIR", folder_.path().c_str(), 1);
  const auto cpu = [](const char* threads, const char* core) {
    return Machine{
        "cpu", "CPU-A", {{"threads", threads, FieldClass::block}, {"core", core, FieldClass::info}}, {}};
  };
  const auto kept_for = [](const std::string& device, const Machine& machine) {
    return CeilingCache::usual(device, machine).find(machine, noon).has_value();
  };
  const Machine sixteen = cpu("16", "a");
  ASSERT_TRUE(CeilingCache::usual("cpu", sixteen).keep(sixteen, {{{"copy_bytes_per_s", 1e11}}, noon}));
  EXPECT_TRUE(kept_for("cpu", sixteen));
  EXPECT_TRUE(kept_for("cpu", cpu("16", "b"))) << "information changes nothing";
  EXPECT_FALSE(kept_for("cpu", cpu("1", "a")));
  EXPECT_FALSE(kept_for("scripted:a.json", sixteen));
  EXPECT_FALSE(CeilingCache::usual("cpu", sixteen).find(sixteen, noon + CeilingCache::short_lifetime + 1));
  unsetenv("HARNESS_CACHE_DIR");
}

TEST(CeilingCacheFolder, IsWhereTheEnvironmentSays) {
  setenv("HARNESS_CACHE_DIR", "/a", 1);
  setenv("XDG_CACHE_HOME", "/b", 1);
  EXPECT_EQ(CeilingCache::usual_folder(), "/a");
  unsetenv("HARNESS_CACHE_DIR");
  EXPECT_EQ(CeilingCache::usual_folder(), "/b/harness");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_NE(CeilingCache::usual_folder(), "relative/harness");
  unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace harness
