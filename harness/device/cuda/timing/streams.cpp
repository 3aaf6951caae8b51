#include "harness/device/cuda/timing/streams.h"

#include "harness/device/cuda/check.h"
#include "harness/device/cuda/gpu_kernels.h"

namespace harness::cuda {
namespace {

constexpr unsigned int since_cuda_12_4 = 12040;
constexpr unsigned int since_cuda_12_5 = 12050;

constexpr unsigned int most_launches = 255;

// From the loaded driver: the module does not link libcuda. Null when the driver has no such call.
template <class Call>
void find(Call& call, const char* name, unsigned int version) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult how = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t code = cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &how);
  if (code != cudaSuccess) (void)cudaGetLastError();
  call = code == cudaSuccess && how == cudaDriverEntryPointSuccess ? reinterpret_cast<Call>(found) : nullptr;
}

}  // namespace

struct Streams::Driver {
  decltype(&cuDeviceGetDevResource) get_resource = nullptr;
  decltype(&cuDevResourceGenerateDesc) describe = nullptr;
  decltype(&cuGreenCtxCreate) create = nullptr;
  decltype(&cuGreenCtxDestroy) destroy = nullptr;
  decltype(&cuGreenCtxStreamCreate) create_stream = nullptr;

  Driver() {
    find(get_resource, "cuDeviceGetDevResource", since_cuda_12_4);
    find(describe, "cuDevResourceGenerateDesc", since_cuda_12_4);
    find(create, "cuGreenCtxCreate", since_cuda_12_4);
    find(destroy, "cuGreenCtxDestroy", since_cuda_12_4);
    find(create_stream, "cuGreenCtxStreamCreate", since_cuda_12_5);
  }

  [[nodiscard]] bool complete() const {
    return get_resource != nullptr && describe != nullptr && create != nullptr && destroy != nullptr &&
           create_stream != nullptr;
  }
};

Streams::Streams(int ordinal)
    : ordinal_(ordinal), driver_(std::make_unique<Driver>()), has_green_(driver_->complete()) {}

Result<std::unique_ptr<Streams>> Streams::create(int ordinal) {
  std::unique_ptr<Streams> streams(new Streams(ordinal));
  if (auto status = check(cudaStreamCreateWithFlags(&streams->home_, cudaStreamDefault), "cudaStreamCreate");
      !status)
    return fail(std::move(status.error()));
  streams->has_green_ = streams->has_green_ && streams->try_green();
  return streams;
}

// Whether a green context can be made, and its stream takes events.
bool Streams::try_green() {
  Drawn drawn;
  if (!draw_green(drawn)) return false;
  green_.drawn.push_back(drawn);
  green_.turn = 1;
  cudaEvent_t event = nullptr;
  const bool usable = cudaEventCreate(&event) == cudaSuccess &&
                      cudaEventRecord(event, drawn.stream) == cudaSuccess &&
                      cudaStreamSynchronize(drawn.stream) == cudaSuccess;
  if (event != nullptr) (void)cudaEventDestroy(event);
  if (!usable) (void)cudaGetLastError();
  return usable;
}

Streams::~Streams() {
  for (const Ring* ring : {&green_, &plain_})
    for (const Drawn& one : ring->drawn) {
      (void)cudaStreamDestroy(one.stream);
      if (one.context != nullptr) (void)driver_->destroy(one.context);
    }
  if (home_ != nullptr) (void)cudaStreamDestroy(home_);
}

// False when the driver or the device refuses. Older drivers, partitioned devices and some tools do.
bool Streams::draw_green(Drawn& drawn) const {
  CUdevResource all = {};
  CUdevResourceDesc described = nullptr;
  if (driver_->get_resource(ordinal_, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS ||
      driver_->describe(&described, &all, 1) != CUDA_SUCCESS ||
      driver_->create(&drawn.context, described, ordinal_, CU_GREEN_CTX_DEFAULT_STREAM) != CUDA_SUCCESS)
    return false;
  CUstream stream = nullptr;
  if (driver_->create_stream(&stream, drawn.context, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS) {
    (void)driver_->destroy(drawn.context);
    drawn.context = nullptr;
    return false;
  }
  drawn.stream = stream;
  return true;
}

Status Streams::draw(Ring& ring) {
  Drawn drawn;
  if (&ring == &green_ && draw_green(drawn)) {
    ring.drawn.push_back(drawn);
    return {};
  }
  if (auto status = check(cudaStreamCreateWithFlags(&drawn.stream, cudaStreamDefault), "cudaStreamCreate");
      !status)
    return status;
  ring.drawn.push_back(drawn);
  return {};
}

Result<cudaStream_t> Streams::next(bool apart, bool by_chance) {
  Ring& ring = apart && has_green_ ? green_ : plain_;
  if (ring.drawn.size() < most)
    if (auto status = draw(ring); !status) return fail(std::move(status.error()));
  const cudaStream_t stream = ring.drawn[ring.turn++ % most].stream;
  if (!by_chance) return stream;
  const auto launches = random_() % (most_launches + 1);
  for (unsigned int i = 0; i < launches; ++i) launch_nothing(stream);
  if (auto status = check_launch("the empty kernel"); !status) return fail(std::move(status.error()));
  return stream;
}

}  // namespace harness::cuda
