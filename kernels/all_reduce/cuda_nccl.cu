// all_reduce/nccl: NCCL, one communicator for each GPU of this process.
#include "harness/sdk/registry.h"
#include "kernels/all_reduce/all_reduce.h"
#include "kernels/all_reduce/nccl_library.h"
#include "kernels/on_gpu.cuh"

namespace all_reduce {
namespace {

class NcclVariant final : public harness::sdk::Kernel {
 public:
  NcclVariant(const harness::sdk::Params& params, const harness::sdk::Problem&,
              const harness::sdk::DeviceTraits& traits)
      : shape_(shape_of(params)), nccl_(Nccl::instance()), ordinals_(kernels::gpus_of(traits)) {
    const kernels::OnGpu restored(traits.ordinal);
    communicators_.resize(ordinals_.size());
    nccl_.check(nccl_.init_all(communicators_.data(), static_cast<int>(ordinals_.size()), ordinals_.data()),
                "ncclCommInitAll");
  }
  ~NcclVariant() override {
    for (const Nccl::Communicator one : communicators_) (void)nccl_.destroy(one);
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    tensors_.assign(buffers.tensors.begin(), buffers.tensors.end());
  }

  void run(harness::sdk::Stream stream) override {
    const kernels::OnGpu restored(ordinals_.front());
    nccl_.check(nccl_.group_start(), "ncclGroupStart");
    for (std::size_t gpu = 0; gpu < shape_.gpus; ++gpu)
      nccl_.check(nccl_.all_reduce(tensors_[gpu], tensors_[shape_.result_index(gpu)],
                                   static_cast<std::size_t>(shape_.n), Nccl::Type::f32, Nccl::Operation::sum,
                                   communicators_[gpu], kernels::queue_on(stream, gpu)),
                  "ncclAllReduce");
    nccl_.check(nccl_.group_end(), "ncclGroupEnd");
  }

 private:
  Shape shape_;
  const Nccl& nccl_;
  std::vector<int> ordinals_;
  std::vector<Nccl::Communicator> communicators_;
  std::vector<void*> tensors_;
};

}  // namespace
}  // namespace all_reduce

HARNESS_VARIANT(all_reduce, nccl, cuda, "NCCL's all-reduce, loaded at run time", all_reduce::NcclVariant)
