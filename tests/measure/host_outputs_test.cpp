// Outputs in the host's memory: what is locked, and when it is freed.
#include "harness/measure/tensors/host_outputs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "harness/device/host/host_memory.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr std::size_t mib = std::size_t{1} << 20;

// Its locks, in the order in which they begin ("+8 MiB") and end ("-8 MiB").
class LockingMemory final : public HostMemory {
 public:
  Scope lock(std::span<std::byte> memory) override {
    log.push_back(fmt::format("+{} MiB", memory.size() / mib));
    return Scope([this, memory] {
      memory.back() = std::byte{1};  // it is still there
      log.push_back(fmt::format("-{} MiB", memory.size() / mib));
    });
  }
  std::vector<std::string> log;
};

sdk::TensorSpec spec(std::size_t bytes) {
  return {"y", sdk::Role::output, sdk::DType::i8, {static_cast<std::int64_t>(bytes)}};
}

TEST(HostOutputs, AreLockedWhereTheyAreLargeAndFreedAfterwards) {
  LockingMemory memory;
  {
    HostOutputs outputs;
    EXPECT_EQ(outputs.take(0, spec(100), memory).size(), 100U);
    EXPECT_THAT(memory.log, ElementsAre()) << "too small";
    const std::span<std::byte> first = outputs.take(0, spec(16 * mib), memory);
    EXPECT_EQ(first.size(), 16 * mib);
    EXPECT_EQ(outputs.take(0, spec(8 * mib), memory).data(), first.data());
    EXPECT_THAT(memory.log, ElementsAre("+16 MiB"));
    (void)outputs.take(0, spec(32 * mib), memory);
    EXPECT_THAT(memory.log, ElementsAre("+16 MiB", "-16 MiB", "+32 MiB"));
    (void)outputs.take(1, spec(8 * mib), memory);
    EXPECT_EQ(outputs.tensors()[1].spec.bytes(), 8 * mib);
    outputs.end(1);
    EXPECT_THAT(outputs.tensors(), SizeIs(1));
    EXPECT_EQ(memory.log.back(), "-8 MiB");
  }
  EXPECT_THAT(memory.log, ElementsAre("+16 MiB", "-16 MiB", "+32 MiB", "+8 MiB", "-8 MiB", "-32 MiB"));
}

TEST(HostOutputs, AreLockedUpToALimit) {
  LockingMemory memory;
  HostOutputs outputs(40 * mib);
  (void)outputs.take(0, spec(48 * mib), memory);
  (void)outputs.take(1, spec(30 * mib), memory);
  (void)outputs.take(2, spec(11 * mib), memory);
  (void)outputs.take(3, spec(10 * mib), memory);
  EXPECT_THAT(memory.log, ElementsAre("+30 MiB", "+10 MiB"));
  outputs.end(1);
  (void)outputs.take(1, spec(40 * mib), memory);
  EXPECT_THAT(memory.log, ElementsAre("+30 MiB", "+10 MiB", "-30 MiB", "-10 MiB", "+40 MiB")) << "given back";
}

}  // namespace
}  // namespace harness
