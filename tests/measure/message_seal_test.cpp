#include "harness/measure/worker/message_seal.h"

#include <gtest/gtest.h>

#include "harness/measure/schedule/worker_process.h"

namespace harness {
namespace {

TEST(MessageSeal, OpensWhatTheSameKeySealedInOrder) {
  MessageSeal worker("key");
  MessageSeal parent("key");
  for (const char* line : {"hello {}", "", "result {\"a b\": 1}"}) {
    const std::string sealed = worker.seal(line);
    EXPECT_TRUE(is_sealed(sealed));
    EXPECT_EQ(parent.open(sealed), line);
  }
}

TEST(MessageSeal, RefusesAnotherKeyAndAnythingThatIsNotTheNextLine) {
  MessageSeal worker("key");
  MessageSeal parent("key");
  EXPECT_FALSE(parent.open(MessageSeal("guess").seal("done")));
  EXPECT_FALSE(parent.open("done"));
  EXPECT_FALSE(parent.open("sealed "));
  EXPECT_FALSE(parent.open("sealed x"));
  const std::string first = worker.seal("begin");
  const std::string second = worker.seal("done");
  EXPECT_FALSE(parent.open(second));
  EXPECT_EQ(parent.open(first), "begin");
  EXPECT_FALSE(parent.open(first));
  EXPECT_FALSE(parent.open(second + "!"));
  EXPECT_EQ(parent.open(second), "done");
}

// It takes one line of JSON, fields that it does not know included, and seals nothing.
TEST(MessageSeal, IsNotAskedOfAWorkerOfAnOlderBuild) {
  constexpr const char* older = "import json, os, sys\njson.loads(sys.stdin.read())\nos.write(3, b'done\\n')";
  Job job;
  job.device = "cpu";
  auto worker = WorkerProcess::start({"python3", "-c", older}, job, {});
  ASSERT_TRUE(worker) << worker.error().text();
  worker->begin();
  const WorkerProcess::Event event = worker->next(60);
  const auto* said = std::get_if<WorkerProcess::Said>(&event);
  ASSERT_NE(said, nullptr) << worker->post_mortem().printed;
  EXPECT_TRUE(std::holds_alternative<Done>(said->message));
}

}  // namespace
}  // namespace harness
