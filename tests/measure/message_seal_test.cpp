#include "harness/measure/worker/message_seal.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace harness
