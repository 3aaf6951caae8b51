// Campaigns in a store: leases, exactly-once results, elements at the same time.
#include "harness/store/farm/farm_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "each_database.h"
#include "harness/store/farm/alike.h"

namespace harness {
namespace {

using testing::SizeIs;

constexpr Seconds long_lease = 1e6, no_lease = 0;

class FarmStores : public OnEachDatabase {
 protected:
  // A campaign over the example, one task a process of its first case.
  void plan(int tasks) {
    const auto store = open();
    record_ = planned_example();
    record_.machines.clear();
    checked(store->begin(record_));
    checked(store->finish(record_.id, RunState::farmed));
    std::vector<FarmTask> all;
    for (int i = 1; i <= tasks; ++i) all.push_back({i, 0, i, 1, 1});
    checked(farm()->plan({"c-1", "2026-11-23T00:00:00Z", "{}"}, all));
  }

  std::unique_ptr<FarmStore> farm() { return checked(FarmStore::open(url_)); }

  // Task `number` as an element on `device` measured it.
  [[nodiscard]] MeasuredTask measured(int number, const std::string& device) const {
    ProcessResult result = example_result(record_.cases[0].id, number);
    result.device_uuid = device;
    return {"c-1", number, device, {{record_.id, {{"cuda", {"h200", device, {}, {}}}}, {{result}}}}, device};
  }

  Record record_;
};

INSTANTIATE_TEST_SUITE_P(Databases, FarmStores, testing::Values("sqlite", "postgresql"),
                         [](const auto& kind) { return kind.param; });

TEST_P(FarmStores, FindACampaignByItsBeginningOrTheNewest) {
  EXPECT_EQ((open(), farm()->find("")).error().kind, ErrorKind::missing);
  plan(1);
  checked(farm()->plan({"d-2", "later", "newer"}, {}));
  EXPECT_EQ(farm()->find("c-")->content, "{}");
  EXPECT_EQ(farm()->find("")->id, "d-2");
  EXPECT_EQ(farm()->find("e").error().kind, ErrorKind::missing);
}

TEST_P(FarmStores, ListCampaignsAndHowFarTheyAre) {
  plan(3);
  const auto store = farm();
  checked(store->plan({"d-2", "later", "{}", "ann", "https://git.example.org/x"}, {}));
  ASSERT_TRUE(*store->take("c-1", {"GPU-A"}, long_lease));
  ASSERT_TRUE(*store->complete(measured(1, "GPU-A")));
  ASSERT_TRUE(*store->take("c-1", {"GPU-A"}, long_lease));
  const std::vector<ListedCampaign> found = checked(store->list());
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].id + found[0].owner + found[0].repository, "d-2annhttps://git.example.org/x");
  EXPECT_EQ(found[1].tasks, 3);
  EXPECT_EQ(found[1].done, 1);
  EXPECT_EQ(found[1].leased, 1);
}

TEST_P(FarmStores, GiveNobodyATaskOfACancelledCampaign) {
  plan(3);
  const auto store = farm();
  ASSERT_TRUE(*store->take("c-1", {"GPU-A"}, long_lease));
  checked(store->cancel("c-1"));
  EXPECT_TRUE(store->find("c-1")->cancelled);
  EXPECT_FALSE(*store->take("c-1", {"GPU-B"}, long_lease));
  EXPECT_FALSE(*store->renew("c-1", 1, "GPU-A", long_lease));
  EXPECT_FALSE(*store->complete(measured(1, "GPU-A")));
  EXPECT_TRUE(checked(store->open_tasks("c-1")).empty());
}

TEST_P(FarmStores, DeleteACampaignWithItsRecordsThatAreNotComplete) {
  plan(1);
  const auto store = farm();
  checked(store->plan({"d-2", "later", "{}"}, std::vector<FarmTask>{{1, 0, 1, 1, 1}},
                      {{record_.id}, {{0, 0, "{}", 1.5}}}));
  EXPECT_EQ(checked(store->cases("d-2", 0, 0, 5)).at(0).seconds, 1.5);
  EXPECT_EQ(checked(store->remove("d-2")), 1);
  EXPECT_TRUE(checked(store->cases("d-2", 0, 0, 5)).empty());
  EXPECT_EQ(store->find("d-2").error().kind, ErrorKind::missing);
  EXPECT_EQ(open()->load(record_.id).error().kind, ErrorKind::missing);
}

TEST_P(FarmStores, RemoveACampaignWithItsLastRecord) {
  plan(1);
  const auto store = farm();
  checked(store->plan({"d-2", "later", "{}"}, {}, {{record_.id}, {}}));
  checked(open()->remove(std::vector<std::string>{record_.id}));
  EXPECT_EQ(store->find("d-2").error().kind, ErrorKind::missing);
  EXPECT_TRUE(store->find("c-1")) << "nobody knows whose record that was";
}

TEST_P(FarmStores, CutATaskThatTookTooLongAndLeaveTheOneToJudgeTheLast) {
  plan(0);
  const auto store = farm();
  FarmTask judge;
  judge.kind = TaskKind::judge;
  judge.number = 2;
  checked(store->plan({"e-1", "later", "{}"}, std::vector<FarmTask>{{1, 0, 0, 4, 8}, judge}));
  const Holder brief{"brief", "GPU-A", 1, 60};
  FarmTask task = **store->take("e-1", brief, long_lease);
  FarmTask first = task, second = task;
  first.cases = second.cases = second.first = 2;
  first.results = second.results = 4;
  checked(store->give_back("e-1", 1, "brief", 50, std::vector<FarmTask>{first, second}));
  std::vector<FarmTask> tasks = checked(store->open_tasks("e-1"));
  ASSERT_THAT(tasks, SizeIs(3));
  EXPECT_EQ(tasks[0].cases + tasks[1].cases, 4);
  EXPECT_EQ(tasks[1].first, 2);
  EXPECT_EQ(tasks[2].kind, TaskKind::judge);

  task = **store->take("e-1", brief, long_lease);
  checked(store->give_back("e-1", task.number, "brief", 61, std::vector<FarmTask>{task}));
  EXPECT_EQ((*store->take("e-1", brief, long_lease))->first, 2) << "it was measured in vain for longer";
  const Holder patient{"patient", "GPU-B", 1, 0};
  EXPECT_EQ((*store->take("e-1", patient, long_lease))->first, 0);
}

TEST_P(FarmStores, JoinFreeTasksOfTheNextCases) {
  plan(0);
  const auto store = farm();
  FarmTask judge, last{5, 0, 8, 2, 4}, other{6, 1, 10, 2, 4};
  judge.kind = TaskKind::judge;
  judge.number = 7;
  last.processes_before = 1;
  const std::vector<FarmTask> planned{
      {1, 0, 0, 2, 4}, {2, 0, 2, 2, 4}, {3, 0, 4, 2, 4}, {4, 0, 6, 2, 4}, last, other, judge};
  checked(store->plan({"e-1", "later", "{}"}, planned));
  EXPECT_EQ((*store->take("e-1", {"none", "GPU-A", 1, 0, 2}, long_lease))->cases, 2) << "one has as many";
  checked(store->release("e-1", 1, "none"));
  EXPECT_EQ((*store->take("e-1", {"many", "GPU-A", 1, 0, 100, 6, 3}, long_lease))->cases, 2)
      << "a sixth, or 3";
  checked(store->release("e-1", 1, "many"));
  EXPECT_EQ((*store->take("e-1", {"three", "GPU-A", 1, 0, 100, 6, 4}, long_lease))->cases, 4)
      << "4, not a sixth";
  EXPECT_EQ(checked(store->list()).front().tasks, 5);
  const FarmTask joined = **store->take("e-1", {"all", "GPU-B", 1, 0, 100}, long_lease);
  EXPECT_EQ(joined.number, 3);
  EXPECT_EQ(joined.cases, 4) << "those behind are measured otherwise, and are of another suite";
  EXPECT_EQ(joined.results, 8);
  const std::vector<FarmTask> tasks = checked(store->tasks("e-1"));
  ASSERT_THAT(tasks, SizeIs(5));
  int cases = 0, results = 0;
  for (const FarmTask& one : tasks) cases += one.cases, results += one.results;
  EXPECT_EQ(cases, 12);
  EXPECT_EQ(results, 24);
  EXPECT_EQ(tasks[0].cases + tasks[1].cases, 8);
  EXPECT_FALSE(tasks[0].done || tasks[1].done);
  EXPECT_EQ(tasks[4].kind, TaskKind::judge);
  checked(store->release("e-1", 1, "three"));
  EXPECT_EQ((*store->take("e-1", {"again", "GPU-A"}, long_lease))->cases, 4) << "it stays one task";
}

TEST_P(FarmStores, LeaveATaskAloneThatAnotherOneHasOrThatTookTooLong) {
  plan(0);
  const auto store = farm();
  checked(
      store->plan({"e-1", "later", "{}"},
                  std::vector<FarmTask>{{1, 0, 0, 2, 4}, {2, 0, 2, 2, 4}, {3, 0, 4, 2, 4}, {4, 0, 6, 2, 4}}));
  const Holder all{"all", "GPU-A", 1, 0, 100};
  ASSERT_TRUE(*store->take("e-1", {"first"}, long_lease));
  ASSERT_TRUE(*store->take("e-1", {"second"}, long_lease));
  checked(store->release("e-1", 1, "first"));
  EXPECT_EQ((*store->take("e-1", all, long_lease))->cases, 2) << "the next one is at hand of another";
  FarmTask third = **store->take("e-1", {"third"}, long_lease);
  checked(store->give_back("e-1", 3, "third", 50, std::vector<FarmTask>{third}));
  EXPECT_EQ((*store->take("e-1", all, long_lease))->cases, 2) << "it was measured in vain";
}

TEST_P(FarmStores, KeepTheProcessesThatAnInterruptedTaskHas) {
  plan(0);
  const auto store = farm();
  FarmTask judge;
  judge.kind = TaskKind::judge;
  judge.number = 2;
  checked(store->plan({"e-1", "later", "{}"}, std::vector<FarmTask>{{1, 0, 0, 1, 3}, judge}));
  FarmTask rest = **store->take("e-1", {"GPU-A", "GPU-A"}, long_lease);
  rest.processes_before = 1;
  rest.processes = rest.results = 2;
  MeasuredTask part = measured(1, "GPU-A");
  part.campaign = "e-1";
  part.holder = "another";
  EXPECT_FALSE(*store->complete_part(part, 1, rest)) << "it is not the holder's";
  part.holder = "GPU-A";
  EXPECT_TRUE(*store->complete_part(part, 1, rest));
  const std::vector<FarmTask> tasks = checked(store->tasks("e-1"));
  ASSERT_THAT(tasks, SizeIs(3));
  EXPECT_EQ(tasks[0].processes_before, 1);
  EXPECT_FALSE(tasks[0].done);
  EXPECT_TRUE(tasks[1].done);
  EXPECT_EQ(tasks[1].processes, 1);
  EXPECT_EQ(tasks[1].results, 1);
  EXPECT_EQ(tasks[2].kind, TaskKind::judge);
  EXPECT_EQ(checked(open()->list({})).front().results, 1U);
}

TEST_P(FarmStores, TellWhyAnElementWasRefused) {
  plan(1);
  checked(farm()->refuse("c-1", {"one", "GPU-B"}, "another class"));
  EXPECT_EQ(checked(farm()->elements("c-1")).at(0).refused, "another class");
}

TEST_P(FarmStores, GiveATaskToOneElementAtATime) {
  plan(2);
  const auto one = farm(), other = farm();
  const FarmTask first = **one->take("c-1", {"one"}, long_lease);
  EXPECT_EQ(first.number, 1);
  EXPECT_EQ(first.first, 1);
  EXPECT_EQ((*other->take("c-1", {"other"}, long_lease))->number, 2);
  EXPECT_FALSE(*one->take("c-1", {"one"}, long_lease));
  EXPECT_TRUE(*one->renew("c-1", 1, "one", long_lease));
  EXPECT_FALSE(*one->renew("c-1", 2, "one", long_lease)) << "another one has it";
  checked(other->release("c-1", 1, "other"));
  EXPECT_FALSE(*other->take("c-1", {"other"}, long_lease)) << "only its holder can give a task back";
  checked(other->release("c-1", 2, "other"));
  EXPECT_EQ((*one->take("c-1", {"one"}, long_lease))->number, 2);
}

TEST_P(FarmStores, GiveATaskToWhoHasLockedAsManyGpusAsItNeeds) {
  plan(0);
  const auto store = farm();
  FarmTask large{2, 0, 2, 1, 1};
  large.gpus = 2;
  checked(store->plan({"e-1", "later", "{}"}, std::vector<FarmTask>{{1, 0, 1, 1, 1}, large}));
  const Holder one{"one", "GPU-A", 1}, two{"two", "GPU-B", 2};
  EXPECT_EQ((*store->take("e-1", one, long_lease))->number, 1);
  EXPECT_FALSE(*store->take("e-1", one, long_lease));
  EXPECT_EQ(checked(store->open_tasks("e-1")).at(1).gpus, 2);
  EXPECT_EQ((*store->take("e-1", two, long_lease))->number, 2);
}

TEST_P(FarmStores, GiveATaskOfACpuOnlyToWhoHasTheCpu) {
  plan(0);
  const auto store = farm();
  FarmTask of_cpu{1, 0, 1, 1, 1}, judge{3, 0, 0, 0, 0};
  of_cpu.gpus = 0;
  judge.kind = TaskKind::judge;
  checked(store->plan({"e-1", "later", "{}"}, std::vector<FarmTask>{of_cpu, {2, 0, 2, 1, 1}, judge}));
  const Holder gpu{"one", "GPU-A", 1}, cpu{"two", "GPU-B", 0};
  EXPECT_EQ((*store->take("e-1", gpu, long_lease))->number, 2);
  EXPECT_FALSE(*store->take("e-1", gpu, long_lease));
  EXPECT_EQ((*store->take("e-1", cpu, long_lease))->number, 1);
  for (const int number : {1, 2}) ASSERT_TRUE(*store->complete({"e-1", number, "one", {}, "GPU-A", 0}));
  EXPECT_EQ((*store->take("e-1", cpu, long_lease))->number, 3) << "anybody can judge";
}

TEST_P(FarmStores, TellWhichTasksAreNotDone) {
  plan(2);
  const auto store = farm();
  ASSERT_TRUE(*store->take("c-1", {"GPU-A"}, long_lease));
  EXPECT_THAT(checked(store->open_tasks("c-1")), SizeIs(2));
  ASSERT_TRUE(*store->complete(measured(1, "GPU-A")));
  const std::vector<FarmTask> open = checked(store->open_tasks("c-1"));
  ASSERT_THAT(open, SizeIs(1));
  EXPECT_EQ(open[0].number, 2);
}

TEST_P(FarmStores, FreeATaskWhoseLeaseEnded) {
  plan(1);
  const auto store = farm();
  ASSERT_TRUE(*store->take("c-1", {"killed"}, no_lease));
  const FarmTask again = **store->take("c-1", {"next"}, long_lease);
  EXPECT_EQ(again.taken, 2);
  EXPECT_FALSE(*store->renew("c-1", 1, "killed", long_lease));
  EXPECT_TRUE(*store->renew("c-1", 1, "next", long_lease));
  const FarmTask task = checked(store->tasks("c-1")).at(0);
  EXPECT_EQ(task.holder, "next");
  EXPECT_GT(task.lease, 0);
}

TEST_P(FarmStores, FreeWhatADeadElementOfTheDeviceHadAtHand) {
  plan(3);
  const auto store = farm();
  const Holder dead{"dead", "GPU-A"}, next{"next", "GPU-A"}, other{"other", "GPU-B"};
  for (const Holder& one : {dead, next, other}) ASSERT_TRUE(*store->enlist("c-1", one, true, long_lease));
  for (const Holder& one : {dead, other}) ASSERT_TRUE(*store->take("c-1", one, long_lease));
  EXPECT_EQ(checked(store->free_tasks_of_device("c-1", {"unknown", ""})), 0);
  EXPECT_EQ(checked(store->free_tasks_of_device("c-1", next)), 1);
  EXPECT_EQ(checked(store->free_tasks_of_device("c-1", next)), 0);
  EXPECT_EQ((*store->take("c-1", next, long_lease))->number, 1);
  EXPECT_EQ(checked(store->free_tasks_of_device("c-1", next)), 0) << "its own";
  EXPECT_EQ((*store->take("c-1", next, long_lease))->number, 3) << "another device has task 2";
  const std::vector<StoredElement> elements = checked(store->elements("c-1"));
  for (const StoredElement& one : elements)
    EXPECT_EQ(one.lease > 0, one.holder.name != "dead") << one.holder.name;
}

TEST_P(FarmStores, KeepTheFirstOfTwoWhoMeasuredATask) {
  plan(1);
  const auto store = farm();
  ASSERT_TRUE(*store->take("c-1", {"GPU-A"}, no_lease));
  ASSERT_TRUE(*store->take("c-1", {"GPU-B"}, long_lease));
  EXPECT_TRUE(*store->complete(measured(1, "GPU-A"))) << "its lease ended, but it was the first";
  EXPECT_FALSE(*store->complete(measured(1, "GPU-B")));
  EXPECT_FALSE(*store->complete(measured(1, "GPU-A"))) << "again, after a lost answer";
  EXPECT_FALSE(*store->renew("c-1", 1, "GPU-B", long_lease)) << "the other one need not go on";
  const Record stored = checked(open()->load(record_.id));
  ASSERT_THAT(stored.cases[0].processes, SizeIs(1));
  EXPECT_EQ(stored.cases[0].processes[0].device_uuid, "GPU-A");
  EXPECT_EQ(stored.machines.at("cuda").device_uuid, "GPU-A");
}

TEST_P(FarmStores, NameAllDevicesOfARecord) {
  plan(3);
  for (const auto& [number, device] : {std::pair(1, "GPU-B"), {2, "GPU-A"}, {3, "GPU-B"}})
    EXPECT_TRUE(*farm()->complete(measured(number, device)));
  EXPECT_EQ(checked(open()->load(record_.id)).machines.at("cuda").device_uuid, "GPU-A+GPU-B");
}

TEST_P(FarmStores, StoreATaskWholeOrNotAtAll) {
  plan(1);
  MeasuredTask task = measured(1, "GPU-A");
  task.sides.push_back({"no such record", {}, {}});
  EXPECT_EQ(farm()->complete(task).error().kind, ErrorKind::missing);
  EXPECT_FALSE(checked(farm()->tasks("c-1")).at(0).done);
  EXPECT_THAT(checked(open()->load(record_.id)).cases[0].processes, SizeIs(0));
  EXPECT_TRUE(*farm()->complete(measured(1, "GPU-A")));
}

TEST_P(FarmStores, JudgeOnceAllTasksAreDoneAndAllLivingElementsAreVerified) {
  plan(1);
  const auto store = farm();
  checked(store->plan({"d-2", "later", "{}"},
                      std::vector<FarmTask>{{1, 0, 0, 1, 1}, {.number = 2, .kind = TaskKind::judge}}));
  const Holder one{"one", "GPU-A"}, other{"other", "GPU-B"};
  EXPECT_TRUE(*store->enlist("d-2", one, true, long_lease));
  EXPECT_TRUE(*store->enlist("d-2", other, false, long_lease));
  ASSERT_EQ((*store->take("d-2", one, long_lease))->kind, TaskKind::measure);
  EXPECT_FALSE(checked(store->elements("d-2")).at(0).verified) << "it has a task";
  EXPECT_FALSE(*store->take("d-2", other, long_lease)) << "a task is open";
  EXPECT_TRUE(*store->complete({"d-2", 1, "one", {}, "GPU-A", 2.5}));
  EXPECT_EQ(checked(store->tasks("d-2")).at(0).seconds, 2.5);
  EXPECT_FALSE(*store->take("d-2", one, long_lease)) << "it is not verified";
  EXPECT_TRUE(*store->enlist("d-2", one, true, long_lease));
  EXPECT_FALSE(*store->take("d-2", one, long_lease)) << "the other one is not";
  EXPECT_TRUE(*store->enlist("d-2", other, false, no_lease));
  const FarmTask judging = **store->take("d-2", one, long_lease);
  EXPECT_EQ(judging.kind, TaskKind::judge);
  EXPECT_TRUE(checked(store->elements("d-2")).at(0).verified) << "judging does not use the device";
  const std::vector<FarmTask> more{
      {.first = 4, .cases = 2, .results = 4, .processes_before = 5, .processes = 2},
      {.kind = TaskKind::judge}};
  EXPECT_TRUE(*store->complete_judging("d-2", 2, more));
  EXPECT_FALSE(*store->complete_judging("d-2", 2, more)) << "again, after a lost answer";
  const std::vector<FarmTask> tasks = checked(store->tasks("d-2"));
  ASSERT_THAT(tasks, SizeIs(4));
  EXPECT_EQ(tasks[2].number, 3);
  EXPECT_EQ(tasks[2].first, 4);
  EXPECT_EQ(tasks[2].processes_before, 5);
  EXPECT_EQ(tasks[2].processes, 2);
  EXPECT_EQ(tasks[3].kind, TaskKind::judge);
}

TEST_P(FarmStores, RefuseResultsOfADeviceThatIsUnlikeTheOthers) {
  plan(2);
  const auto store = farm();
  EXPECT_TRUE(*store->complete(measured(1, "GPU-A")));
  MeasuredTask other = measured(2, "GPU-B");
  other.sides.front().machines.at("cuda").machine_class = "h100";
  EXPECT_EQ(store->complete(other).error().kind, ErrorKind::not_comparable);
  EXPECT_FALSE(checked(store->tasks("c-1")).at(1).done);
  const Record stored = checked(open()->load(record_.id));
  EXPECT_THAT(stored.cases[0].processes, SizeIs(1));
  EXPECT_EQ(stored.machines.at("cuda").device_uuid, "GPU-A");
  EXPECT_TRUE(*store->complete(measured(2, "GPU-B")));
}

TEST(CheckAlike, ComparesClassBlockingFieldsAndKnownDrivers) {
  const Machine one{
      "h200", "GPU-A", {{"ecc", "on", FieldClass::block}, {"driver", "1", FieldClass::warn}}, {}};
  const auto with = [&](const MachineField& field) {
    Machine other = one;
    std::erase_if(other.fields, [&](const MachineField& known) { return known.name == field.name; });
    if (!field.value.empty()) other.fields.push_back(field);
    return check_alike(one, other).has_value() && check_alike(other, one).has_value();
  };
  EXPECT_TRUE(with({"kernel", "6.1", FieldClass::warn}));
  EXPECT_FALSE(with({"ecc", "off", FieldClass::block}));
  EXPECT_FALSE(with({"ecc", "", FieldClass::block}));
  EXPECT_FALSE(with({"mig", "on", FieldClass::block}));
  EXPECT_FALSE(with({"driver", "2", FieldClass::warn}));
  EXPECT_TRUE(with({"driver", "", FieldClass::warn})) << "nobody can tell";
  EXPECT_TRUE(with({"clock_lock", "1485 MHz", FieldClass::block}));
}

TEST_P(FarmStores, GiveATaskToAnotherDeviceFirst) {
  plan(1);
  const auto store = farm();
  checked(store->plan({"d-2", "later", "{}"}, std::vector<FarmTask>{{.avoids = "GPU-A+GPU-B"}}));
  EXPECT_FALSE(*store->take("d-2", {"one", "GPU-A"}, long_lease));
  EXPECT_FALSE(*store->take("d-2", {"one", "GPU-B"}, long_lease));
  EXPECT_TRUE(*store->take("d-2", {"one", "GPU"}, no_lease));
  EXPECT_TRUE(*store->take("d-2", {"one", "GPU-A"}, no_lease)) << "nobody else took it for three leases";
}

TEST_P(FarmStores, FreeTheTasksOfASickDevice) {
  plan(3);
  const auto store = farm();
  const std::vector<std::string> records{record_.id};
  for (int number : {1, 2}) EXPECT_TRUE(*store->complete(measured(number, number == 1 ? "GPU-A" : "GPU-B")));
  const std::vector<ProbeValue> values{{"case", 1.5}};
  checked(store->keep_probes({"one", "GPU-A"}, values));
  checked(store->keep_probes({"older", "GPU-A"}, values));
  EXPECT_EQ(*store->quarantine("c-1", {"one", "GPU-A"}, "hot", records), 1);
  EXPECT_EQ(checked(store->elements("c-1")).at(0).sick, "hot");
  EXPECT_THAT(checked(store->probes("GPU-A")), SizeIs(1)) << "only those from before";
  EXPECT_FALSE(*store->enlist("c-1", {"another", "GPU-A"}, true, long_lease));
  EXPECT_EQ(checked(open()->load(record_.id)).machines.at("cuda").device_uuid, "GPU-B");
  EXPECT_FALSE(*store->complete(measured(1, "GPU-A"))) << "from a journal, too late";
  EXPECT_TRUE(*store->complete(measured(1, "GPU-B")));
  const Record stored = checked(open()->load(record_.id));
  ASSERT_THAT(stored.cases[0].processes, SizeIs(2));
  EXPECT_EQ(stored.cases[0].processes[0].device_uuid, "GPU-B");
  EXPECT_TRUE(*store->complete(measured(3, "GPU-B")));
}

TEST_P(FarmStores, JudgeNothingWhileATaskIsOpenAgain) {
  plan(1);
  const auto store = farm();
  const Holder one{"one", "GPU-A"};
  checked(store->plan({"d-2", "later", "{}"},
                      std::vector<FarmTask>{{1, 0, 0, 1, 1}, {.number = 2, .kind = TaskKind::judge}}));
  EXPECT_TRUE(*store->complete({"d-2", 1, "one", {}, "GPU-A"}));
  ASSERT_EQ((*store->take("d-2", {"other", "GPU-B"}, long_lease))->kind, TaskKind::judge);
  EXPECT_EQ(*store->quarantine("d-2", one, "hot", std::vector<std::string>{record_.id}), 1);
  EXPECT_FALSE(*store->complete_judging("d-2", 2, {})) << "its verdict was of the sick device";
  EXPECT_FALSE(*store->complete_judging("d-2", 1, {})) << "no task to judge";
  EXPECT_FALSE(checked(store->tasks("d-2")).at(0).done);
  EXPECT_FALSE(checked(store->tasks("d-2")).at(1).done);
  EXPECT_TRUE(*store->complete({"d-2", 1, "other", {}, "GPU-B"}));
  EXPECT_TRUE(*store->complete_judging("d-2", 2, {}));
}

TEST_P(FarmStores, RemoveTheResultsOfALook) {
  plan(3);
  const auto store = farm();
  for (int number : {1, 2, 3}) EXPECT_TRUE(*store->complete(measured(number, "GPU-A")));
  const std::vector<std::string> cases{record_.cases[0].id, "no such case"};
  checked(store->remove_results(record_.id, cases, 1, 1));
  const auto stored = open();
  const Record left = checked(stored->load(record_.id));
  ASSERT_THAT(left.cases[0].processes, SizeIs(2));
  EXPECT_EQ(left.cases[0].processes[0].process, 1);
  EXPECT_EQ(left.cases[0].processes[1].process, 3);
  EXPECT_EQ(checked(stored->cases_of(record_.id)).at(0).measured, 2);
  EXPECT_EQ(checked(stored->list({})).at(0).results, 2);
}

TEST_P(FarmStores, KeepTheProbesOfADevice) {
  const auto store = (open(), farm());
  const std::vector<ProbeValue> one{{"case", 1.5}, {"other", 2.5}}, again{{"case", 1.75}};
  checked(store->keep_probes({"one", "GPU-A"}, one));
  checked(store->keep_probes({"one", "GPU-A"}, again));
  checked(store->keep_probes({"one", "GPU-B"}, again));
  const std::vector<ProbeValue> kept = checked(store->probes("GPU-A"));
  ASSERT_THAT(kept, SizeIs(2));
  EXPECT_EQ(kept[0].log_value + kept[1].log_value, 4.25);
}

// Every task is measured by one of four elements, of which one in three loses its lease.
TEST_P(FarmStores, StoreEachResultOnceWhoeverMeasuredIt) {
  constexpr int tasks = 24, elements = 4;
  plan(tasks);
  std::atomic<int> kept{0}, failed{0};
  {
    std::vector<std::jthread> threads;
    for (int element = 0; element < elements; ++element)
      threads.emplace_back([&, element] {
        const std::string name = "GPU-" + std::to_string(element);
        const auto store = FarmStore::open(url_);
        for (int turn = element; store; ++turn) {
          const auto task = (*store)->take("c-1", {name}, turn % 3 == 0 ? no_lease : long_lease);
          if (!task) ++failed;
          if (!task || !*task) return;
          const Result<bool> done = (*store)->complete(measured((*task)->number, name));
          if (!done) ++failed;
          kept += done && *done ? 1 : 0;
        }
        ++failed;
      });
  }
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(kept, tasks);
  EXPECT_THAT(checked(open()->load(record_.id)).cases[0].processes, SizeIs(tasks));
}

}  // namespace
}  // namespace harness
