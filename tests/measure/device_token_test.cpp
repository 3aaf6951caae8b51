// The token of a device that workers share, with two descriptors of its file in one process, and with a
// process that dies. Nothing here waits for time to pass.
#include "harness/measure/worker/device_token.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "harness/base/files.h"
#include "tests/measure/cases.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t much = std::size_t{1} << 30;

class DeviceTokenTest : public testing::Test {
 protected:
  DeviceTokenTest() { std::ofstream(file_).flush(); }

  DeviceToken token(DeviceToken::OnWait on_wait = {}) {
    Result<DeviceToken> opened = DeviceToken::open(file_, std::move(on_wait));
    if (opened) return std::move(*opened);
    ADD_FAILURE() << opened.error().text();
    return {};
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "device";
};

TEST_F(DeviceTokenTest, OneHoldsItAtATime) {
  DeviceToken one = token(), other = token();
  one.take();
  EXPECT_FALSE(other.try_take());
  one.give();
  EXPECT_TRUE(other.try_take());
  EXPECT_FALSE(one.try_take());
}

TEST_F(DeviceTokenTest, WhoIsAloneNeedsNone) {
  Result<DeviceToken> alone = DeviceToken::open("");
  ASSERT_TRUE(alone);
  EXPECT_FALSE(alone->shared());
  alone->take();
  EXPECT_TRUE(alone->try_take());
  alone->keep_quiet(true);
  alone->give();
  EXPECT_EQ(alone->others(), 0);
  EXPECT_FALSE(DeviceToken::open(folder_.path() / "none"));
}

TEST_F(DeviceTokenTest, IsGivenBackHoweverItsHolderEnds) {
  const pid_t holder = fork();
  if (holder == 0) {
    DeviceToken own = token();
    own.take();
    own.enter();
    own.keep_quiet(true);
    _exit(own.shared() ? 0 : 1);  // no destructor
  }
  int status = 0;
  waitpid(holder, &status, 0);
  ASSERT_EQ(status, 0);
  DeviceToken next = token();
  EXPECT_TRUE(next.try_take());
  EXPECT_EQ(next.others(), 0);
  next.give();  // would wait for the quiet
}

TEST_F(DeviceTokenTest, TellsWhenItWaits) {
  std::vector<bool> told;
  DeviceToken one = token(), other = token([&](bool waits) {
                               told.push_back(waits);
                               if (waits) one.give();
                             });
  other.take();
  EXPECT_THAT(told, IsEmpty());
  other.give();
  one.take();
  other.take();
  EXPECT_THAT(told, ElementsAre(true, false));
}

TEST_F(DeviceTokenTest, HostWorkIsOverBeforeACaseHasTheHostForItself) {
  DeviceToken worker = token();
  bool waited = false;
  DeviceToken measuring = token([&](bool waits) {
    waited = true;
    if (waits) worker = DeviceToken();  // which ends
  });
  worker.take();
  worker.give();
  ASSERT_TRUE(measuring.try_take());
  measuring.keep_quiet(true);
  EXPECT_TRUE(waited);
}

TEST_F(DeviceTokenTest, CountsTheOtherWorkersOfTheDevice) {
  DeviceToken one = token(), other = token();
  EXPECT_EQ(one.others(), 0);
  one.enter();
  other.enter();
  EXPECT_EQ(one.others(), 1);
  {
    DeviceToken third = token();
    third.enter();
    EXPECT_EQ(one.others(), 2);
  }
  EXPECT_EQ(one.others(), 1);
}

TEST_F(DeviceTokenTest, IsGivenAwayForHostWorkAndTakenBack) {
  const auto device = scripted(R"({"version": 1})");
  Phases phases(*device);
  DeviceToken own = token(), other = token();
  own.take();
  {
    const WithoutDevice apart(*device, &own, phases, much);
    EXPECT_TRUE(other.try_take());
    EXPECT_FALSE(device->synchronize()) << "nothing touches the device meanwhile";
    other.give();
  }
  EXPECT_FALSE(other.try_take());
}

TEST_F(DeviceTokenTest, StaysForLittleWork) {
  const auto device = scripted(R"({"version": 1})");
  Phases phases(*device);
  DeviceToken own = token(), other = token();
  own.take();
  {
    const WithoutDevice apart(*device, &own, phases, 1000, 1000);
    EXPECT_FALSE(other.try_take());
  }
  {
    const WithoutDevice apart(*device, &own, phases, 0, 1e9);
    EXPECT_TRUE(other.try_take());
    other.give();
  }
  const WithoutDevice nobody(*device, nullptr, phases, much);
  EXPECT_TRUE(device->synchronize());
}

TEST_F(DeviceTokenTest, ItsWaitIsAPhaseOfItsOwn) {
  const auto device = scripted(R"({"version": 1})");
  Phases phases(*device);
  {
    const auto inputs = phases.run("inputs");
    ASSERT_TRUE(device->preheat(2));
    phases.wait([&] { ASSERT_TRUE(device->preheat(5)); });
    phases.wait([] {});
  }
  EXPECT_THAT(phases.take(), ElementsAre(Phase{"wait", 5}, Phase{"inputs", 2}));
  EXPECT_EQ(phases.own_time(), 2);
}

}  // namespace
}  // namespace harness
