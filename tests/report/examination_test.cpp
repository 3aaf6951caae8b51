// What `harness doctor` shows.
#include "harness/report/documents/doctor_document.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace harness {
namespace {

using testing::HasSubstr;
using testing::Not;

Examination examination() {
  return {"cuda:0",
          "NVIDIA H200 (GPU-A)",
          {{Check::governor, {{"governors", "powersave"}}, Fitness::warn},
           {Check::temperature, {{"celsius", 31.0}, {"slowdown_celsius", 92.0}}},
           {Check::other_processes,
            {{"process", 7}, {"name", "\x1b[31mred"}, {"bytes", 5 << 20}},
            Fitness::unfit}}};
}

TEST(RenderExamination, SaysFirstWhetherTheMachineIsFit) {
  const std::string text = render_examination(examination(), Format::terminal, {});
  EXPECT_TRUE(text.starts_with("UNFIT to measure: 1 obstacle, 1 warning\n  cuda:0, NVIDIA H200 (GPU-A)\n"))
      << text;
  Examination better = examination();
  better.findings.pop_back();
  EXPECT_THAT(render_examination(better, Format::terminal, {}),
              HasSubstr("fit to measure, with 1 warning\n"));
  better.findings.erase(better.findings.begin());
  EXPECT_TRUE(render_examination(better, Format::terminal, {}).starts_with("fit to measure\n"));
}

TEST(RenderExamination, ShowsEachFindingWithItsAdviceUnderItsTopic) {
  const std::string text = render_examination(examination(), Format::terminal, {});
  EXPECT_THAT(text, HasSubstr("\nmachine\n  governor          warn   powersave\n"
                              "                           advice: the clock of the CPU follows its load: "
                              "cpupower frequency-set -g performance\n"
                              "\ngpu\n  temperature       ok     31 C, slows down at 92 C\n"
                              "  other processes   unfit  process 7, "));
  EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << "a name drives no terminal";
}

TEST(RenderExamination, IsJsonThatAProgramCanRead) {
  const auto json = nlohmann::json::parse(render_examination(examination(), Format::json, {}));
  EXPECT_EQ(json.at("format"), "harness-doctor");
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("fitness"), "unfit");
  EXPECT_EQ(json.at("device"), "cuda:0");
  ASSERT_EQ(json.at("findings").size(), 3U);
  EXPECT_EQ(json.at("findings")[0].at("advice"),
            "the clock of the CPU follows its load: cpupower frequency-set -g performance");
  EXPECT_FALSE(json.at("findings")[1].contains("advice"));
  EXPECT_EQ(json.at("findings")[2].at("fitness"), "unfit");
}

}  // namespace
}  // namespace harness
