// The memory of a worker process, and that it waits for nobody: real processes, scripted time.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/measure/worker/worker.h"
#include "tests/measure/cases.h"

namespace harness {
namespace {

constexpr int placements = 5;

class WorkerMemory : public testing::Test {
 protected:
  // A job of so many cases, each of `samples` samples in all.
  [[nodiscard]] Job job(int cases, int samples) const {
    const std::filesystem::path script = folder_.path() / "script.json";
    std::ofstream(script) << R"({"version": 1, "default": {"us": 100, "sample_sd": 0.01, "overhead_us": 0}})";
    Job job;
    job.device = "scripted:" + script.string();
    job.modules = {TEST_PLUGIN};
    for (int n = 1; n <= cases; ++n) {
      PlannedCase& one = job.cases.emplace_back(planned_line("right", n));
      one.sampling.placements = placements;
      one.sampling.samples = samples / placements;
      one.sampling.max_time = 1000;
    }
    return job;
  }

  struct Ended {
    std::size_t results = 0;
    std::size_t samples = 0;  // of the last result
    long peak_kilobytes = 0;
  };
  // Reads what it sends as it comes, as a run does.
  static Ended run(const Job& job) {
    Ended ended;
    Result<Child> child = Child::start(Command{{TEST_WORKER}}, {});
    if (!child || !child->send(encode(job))) {
      ADD_FAILURE() << "the worker cannot be started";
      return ended;
    }
    child->end_input();
    std::string last;  // decoding all of them would take longer than measuring them
    while (true) {
      auto line = child->read_line(300);
      if (!line) break;
      if (!line->starts_with("result ")) continue;
      ++ended.results;
      last = std::move(*line);
    }
    const Result<Message> message = decode_message(last);
    if (!message) {
      ADD_FAILURE() << message.error().text();
      return ended;
    }
    for (const Placement& placement :
         std::get<ProcessResult>(*message).series.at(0).processes.at(0).placements)
      ended.samples += placement.samples.size();
    // The system call tells what the process used without reaping it, which the C library's does not.
    siginfo_t info{};
    rusage usage{};
    EXPECT_EQ(syscall(SYS_waitid, P_PID, child->pid(), &info, WEXITED | WNOWAIT, &usage), 0);
    EXPECT_TRUE(child->wait().ok());
    ended.peak_kilobytes = usage.ru_maxrss;
    return ended;
  }

  TemporaryFolder folder_;
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// Results go out case by case, so a worker holds the samples of one case at a time however many there are.
TEST_F(WorkerMemory, KeepsItsOwnStructuresBelow64MegabytesForAMillionSamples) {
  if (sanitized) GTEST_SKIP() << "a sanitizer's own memory is many times the program's";
  const Ended small = run(job(1, 10)), large = run(job(100, 10'000));
  EXPECT_EQ(small.results, 1U);
  EXPECT_EQ(large.results, 100U);
  EXPECT_EQ(large.samples, 10'000U);
  EXPECT_GT(small.peak_kilobytes, 0);
  EXPECT_LT(large.peak_kilobytes - small.peak_kilobytes, 64 * 1024);
  RecordProperty("kilobytes", static_cast<int>(large.peak_kilobytes - small.peak_kilobytes));
}

// A parent that is busy with its journal does not hold up the measuring: here it reads nothing until the
// worker has measured all, and some 400 kB wait in the pipe.
TEST_F(WorkerMemory, MeasuresOnWhileNobodyReadsItsResults) {
  Result<Child> child = Child::start(Command{{TEST_WORKER}}, {});
  ASSERT_TRUE(child);
  ASSERT_TRUE(child->send(encode(job(4, 10'000))));
  child->end_input();
  EXPECT_TRUE(child->wait().ok());
  std::size_t results = 0, bytes = 0;
  while (true) {
    const auto line = child->read_line(10);
    if (!line) break;
    bytes += line->size();
    if (const auto message = decode_message(*line);
        message && std::holds_alternative<ProcessResult>(*message))
      ++results;
  }
  EXPECT_EQ(results, 4U);
  EXPECT_GT(bytes, 200'000U) << "less would fit in any pipe";
}

}  // namespace
}  // namespace harness
