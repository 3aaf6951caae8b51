// `harness doctor`: a finding is one property with a mark, and the worst of them is the headline's tone.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "studies.h"

namespace harness {
namespace {

using report::Alarm;
using report::CiState;
using report::Paint;

TEST(Examination, IsAsFitAsItsWorstFinding) {
  Examination examination = fixture::examination();
  EXPECT_EQ(report::doctor_document(examination).document.tone, Paint::bad);
  examination.findings.pop_back();
  EXPECT_EQ(report::doctor_document(examination).document.tone, Paint::doubtful);
  examination.findings.erase(examination.findings.begin());
  EXPECT_EQ(report::doctor_document(examination).document.tone, Paint::good);
}

TEST(Examination, HasAChecklistATopic) {
  const Examination examination = fixture::examination();
  const Report report = report::doctor_document(examination);
  ASSERT_EQ(report.document.blocks.size(), 2U);
  const auto& gpu = std::get<report::Checklist>(report.document.blocks[1].content);
  EXPECT_EQ(gpu.heading, "gpu");
  ASSERT_EQ(gpu.facts.size(), 2U);
  EXPECT_EQ(gpu.facts[1].mark.text, "unfit");
  EXPECT_FALSE(gpu.facts[1].advice.empty());
  EXPECT_TRUE(gpu.facts[0].advice.empty());
}

TEST(Examination, FailsInACiWhereItIsUnfitAndWarnsWhereItWarns) {
  const Examination examination = fixture::examination();
  const report::CiView view = report::doctor_document(examination).ci();
  ASSERT_EQ(view.cases.size(), 3U);
  EXPECT_EQ(view.cases[0].state, CiState::passed);
  EXPECT_EQ(view.cases[0].alarm, Alarm::warning);
  EXPECT_EQ(view.cases[1].alarm, Alarm::none);
  EXPECT_EQ(view.cases[2].state, CiState::failure);
  EXPECT_EQ(view.cases[2].alarm, Alarm::error);
}

TEST(Examination, IsJsonThatAProgramCanRead) {
  const Examination examination = fixture::examination();
  const auto json = nlohmann::json::parse(report::doctor_document(examination).json());
  EXPECT_EQ(json.at("format"), "harness-doctor");
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("fitness"), "unfit");
  EXPECT_EQ(json.at("device"), "cuda:0");
  ASSERT_EQ(json.at("findings").size(), 3U);
  EXPECT_TRUE(json.at("findings")[0].contains("advice"));
  EXPECT_FALSE(json.at("findings")[1].contains("advice"));
  EXPECT_EQ(json.at("findings")[2].at("fitness"), "unfit");
}

}  // namespace
}  // namespace harness
