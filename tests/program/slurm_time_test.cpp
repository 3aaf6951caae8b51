// The time that an element has in a job of Slurm.
#include <gtest/gtest.h>

#include "harness/cli/farm/slurm_script.h"

namespace harness {
namespace {

TEST(TimeInAJob, IsAMinuteLessThanSlurmGives) {
  const auto time = [](const char* text) {
    return time_in_job({"partition=gpu", std::string("time=") + text});
  };
  EXPECT_EQ(time("10"), 9 * 60);
  EXPECT_EQ(time("10:30"), 9 * 60 + 30);
  EXPECT_EQ(time("2:00:00"), 7200 - 60);
  EXPECT_EQ(time("1-2"), 26 * 3600 - 60);
  EXPECT_EQ(time("1-2:30"), 26 * 3600 + 1800 - 60);
  EXPECT_EQ(time("1-2:30:10"), 26 * 3600 + 1800 + 10 - 60);
  EXPECT_EQ(time("1"), 0);
  EXPECT_EQ(time_in_job({"partition=gpu"}), 0);
}

}  // namespace
}  // namespace harness
