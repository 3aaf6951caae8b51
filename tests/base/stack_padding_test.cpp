#include "harness/base/stack_padding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "harness/base/process.h"

namespace harness {
namespace {

constexpr int cache_line = 64, page = 4096;

TEST(StackPadding, HasAnotherLengthInEachProcess) {
  std::set<std::size_t> lengths, places;
  for (int process = 1; process <= 256; ++process) {
    const std::size_t length = stack_padding(process).size();
    EXPECT_LT(length, page);
    EXPECT_EQ(length % 16, 0U) << "steps of another size are lost in the alignment of the stack";
    lengths.insert(length);
    if (process <= 4) places.insert(length % cache_line);
  }
  EXPECT_EQ(lengths.size(), 256U);
  EXPECT_EQ(places.size(), 4U) << "four processes have all places in a cache line";
  EXPECT_EQ(stack_padding(1'000'001), stack_padding(1'000'001));
}

// Where the stack of a program begins within its page, with addresses that are not random.
long place_of_stack(int process) {
  Command command{{"setarch", "-R", "cut", "-d", " ", "-f", "28", "/proc/self/stat"}};
  command.environment.emplace(stack_padding_variable, stack_padding(process));
  const Result<Output> output = run_command(command);
  EXPECT_TRUE(output && output->exit.ok());
  return output ? std::stol(output->out) % page : -1;
}

TEST(StackPadding, MovesTheStackOfAProgram) {
  const Result<Output> allowed = run_command({{"setarch", "-R", "true"}});
  if (!allowed || !allowed->exit.ok()) GTEST_SKIP() << "this system does not let addresses be fixed";
  std::map<long, int> places;
  for (int process = 1; process <= 5; ++process) {
    const long place = place_of_stack(process);
    EXPECT_EQ(place_of_stack(process), place) << "the number of the process decides";
    EXPECT_TRUE(places.emplace(place, process).second) << "process " << places[place] << " has it, too";
  }
}

}  // namespace
}  // namespace harness
