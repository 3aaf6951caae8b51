#include "harness/device/cuda/streams.h"

#include <utility>

#include "harness/device/cuda/check.h"
#include "harness/device/cuda/gpu_kernels.h"

namespace harness::cuda {
namespace {

constexpr unsigned int most_launches = 255;

}  // namespace

Result<std::unique_ptr<Streams>> Streams::create() {
  std::unique_ptr<Streams> streams(new Streams);
  for (cudaStream_t& stream : streams->streams_)
    if (auto status = check(cudaStreamCreateWithFlags(&stream, cudaStreamDefault), "cudaStreamCreate");
        !status)
      return fail(std::move(status.error()));
  return streams;
}

Streams::~Streams() {
  for (cudaStream_t stream : streams_)
    if (stream != nullptr) (void)cudaStreamDestroy(stream);
}

Status Streams::turn(bool by_chance) {
  turn_ = (turn_ + 1) % streams_.size();
  if (!by_chance) return {};
  const auto launches = random_() % (most_launches + 1);
  for (unsigned int i = 0; i < launches; ++i) launch_nothing(current());
  return check_launch("the empty kernel");
}

}  // namespace harness::cuda
