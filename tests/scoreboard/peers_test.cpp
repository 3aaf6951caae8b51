// The rules of peer_calls.h against the answers of the real programs (check_peers.py) and of their
// documentation.
#include "harness/study/peers/peer_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "harness/stats/estimate/estimator.h"

namespace harness::peers {
namespace {

using nlohmann::json;

// The samples of all placements by file, case and process.
using Samples = std::map<std::tuple<std::string, std::string, int>, Values>;

Samples load() {
  Samples samples;
  for (const std::string name : {"main", "same", "head"}) {
    std::ifstream file(HARNESS_SOURCE_DIR "/tests/data/h200/" + name + ".jsonl");
    std::string line;
    std::getline(file, line);  // of the machine
    while (std::getline(file, line)) {
      const json row = json::parse(line);
      Values& taken = samples[{name, row.at("case"), row.at("process")}];
      for (const double sample : row.at("samples")) taken.push_back(sample);
    }
  }
  return samples;
}

Values chunks(const Values& samples, std::size_t count) {
  const std::size_t size = samples.size() / count;
  Values means;
  for (std::size_t i = 0; i < count; ++i)
    means.push_back(stats::mean(std::span(samples).subspan(i * size, size)));
  return means;
}

// Means of the processes of main and same; the last four are slower by `factor`.
Values series_of(const Samples& samples, const std::string& wanted, double factor) {
  Values series;
  for (const auto& [key, values] : samples)
    if (std::get<1>(key) == wanted && std::get<0>(key) != "head") series.push_back(stats::mean(values));
  for (std::size_t i = series.size() - 4; i < series.size(); ++i) series[i] *= factor;
  return series;
}

const std::map<std::string, Call> words = {
    {"slower", Call::slower}, {"faster", Call::faster}, {"same", Call::same}, {"undecided", Call::undecided}};

TEST(Peers, AnswerAsTheRealPrograms) {
  const Samples samples = load();
  std::ifstream file(HARNESS_SOURCE_DIR "/tests/scoreboard/peers.json");
  const json inputs = json::parse(file);
  ASSERT_EQ(inputs.size(), 10U);
  for (const json& input : inputs) {
    SCOPED_TRACE(input.dump());
    const std::string name = input.at("case");
    const double factor = input.at("factor"), clock = input.at("clock");
    const auto call = [&](const char* program) { return words.at(input.at(program)); };
    Timed before{samples.at({"main", name, input.at("before")}), {}};
    Timed after{samples.at({input.at("file"), name, input.at("after")}), {}};
    for (double& time : after.times) time *= factor;
    before.clocks.assign(before.times.size(), 1.98);
    after.clocks.assign(after.times.size(), clock);
    EXPECT_EQ(nvbench_legacy(before, after), call("nvbench_legacy"));
    EXPECT_EQ(nvbench_robust(before, after), call("nvbench_robust"));
    const double p = google_benchmark(chunks(before.times, 9), chunks(after.times, 9)).p;
    EXPECT_NEAR(p, input.at("google_benchmark_p").get<double>(), 1e-9);
    EXPECT_EQ(asv(chunks(before.times, 20), chunks(after.times, 20)), call("asv"));
    const Values series = series_of(samples, name, factor);
    EXPECT_EQ(otava(series), input.at("otava").get<std::vector<std::size_t>>());
    EXPECT_EQ(criterion(before.times, after.times, 1000, 1), call("criterion"));
    EXPECT_EQ(ratio(stats::mean(before.times), 2 * stats::mean(after.times)), call("action"));
    const auto history = std::span(series).first(series.size() - 4);
    const double limit = input.at("bencher_limit");
    EXPECT_NEAR(bencher_limit(history, 0.99), limit, 1e-9 * limit);
    EXPECT_EQ(bencher(history, series[history.size()]), call("bencher"));
  }
}

TEST(Peers, HaveTheExactUTestOfFewValues) {
  EXPECT_NEAR(google_benchmark(Values{1, 2, 3}, Values{4, 5, 6}).p, 0.1, 1e-12);  // 2 of 20 orders
  EXPECT_NEAR(google_benchmark(Values{1, 2, 4}, Values{3, 5, 6}).p, 0.2, 1e-12);  // 4 of 20
  EXPECT_NEAR(google_benchmark(Values{1, 4, 5}, Values{2, 3, 6}).p, 1, 1e-12);
}

// Values of the documentation of Bencher: 25 values with a mean of 100 and an sd of 10, and a boundary of
// 0.977.
TEST(Peers, HaveTheLimitThatBencherDocuments) {
  Values history(24);
  for (std::size_t i = 0; i < 24; ++i) history[i] = 100 + (i % 2 == 0 ? 10 : -10);
  history.push_back(100);
  ASSERT_NEAR(stats::standard_deviation(history), 10, 1e-12);
  EXPECT_NEAR(bencher_limit(history, 0.977), 121.46, 0.005);
  EXPECT_EQ(bencher(history, 127), Call::slower);
  EXPECT_EQ(bencher(history, 120), Call::same);
  EXPECT_EQ(bencher(Values{5, 5, 5}, 50), Call::undecided);
}

// "if the previous benchmark result was 100 iter/ns and this time it is 230 iter/ns, it means 230% worse".
TEST(Peers, AlertBeyondTwiceTheValue) {
  EXPECT_EQ(ratio(100, 230), Call::slower);
  EXPECT_EQ(ratio(100, 200), Call::same);
}

TEST(Peers, CallWithCriterionWhatLiesBeyondItsNoise) {
  Values before, above, within;
  for (int i = 0; i < 100; ++i) {
    before.push_back(100 + i % 5 * 0.2);
    above.push_back(before.back() * 1.02);
    within.push_back(before.back() * 1.008);
  }
  EXPECT_EQ(criterion(before, above, 1000, 1), Call::slower);
  EXPECT_EQ(criterion(above, before, 1000, 1), Call::faster);
  EXPECT_EQ(criterion(before, within, 1000, 1), Call::same) << "significant, and within 1 %";
  Values wild = before;
  wild[50] = 350;  // the mean is 2.5 % larger, and its interval reaches nought
  EXPECT_EQ(criterion(before, wild, 1000, 1), Call::same);
}

TEST(Peers, LeaveOpenWhatTheClockExplains) {
  const Timed before{{10, 10.1, 10.2, 10.3}, {2, 2, 2, 2}},
      after{{11, 11.1, 11.2, 11.3}, {1.8, 1.8, 1.8, 1.8}};
  EXPECT_EQ(nvbench_robust(before, after), Call::undecided);
  EXPECT_EQ(nvbench_robust(before, {after.times, before.clocks}), Call::slower);
  EXPECT_EQ(nvbench_robust({after.times, before.clocks}, before), Call::faster);
}

}  // namespace
}  // namespace harness::peers
