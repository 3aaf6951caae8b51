#include <cstdlib>
#include <cstring>

#include "common.cuh"

namespace {

std::string mode() {
  const char* named = std::getenv("PLUG_MODE");
  return named == nullptr ? "several rounds, one after the other" : named;
}

double share() {
  static const double value = 0.75;
  return value;
}

class C : public harness::sdk::Kernel {
 public:
  explicit C(int n) : n_(n), rounds_(helper_rounds(n)) {}
  void bind(void* const* tensors) override {
    arguments_ = {static_cast<float*>(tensors[1]), static_cast<const float*>(tensors[0]), n_, 1.0f};
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  }
  void run(cudaStream_t stream) override {
    if (mode() == "one round") rounds_ = 1;
    const int blocks = static_cast<int>(share() * blocks_of(n_));
    for (int round = 0; round < rounds_; ++round) scaled<tile><<<blocks, tile, 0, stream>>>(arguments_);
    check(cudaEventRecord(event_, stream));
  }

 private:
  int n_;
  int rounds_;
  cudaEvent_t event_ = nullptr;
  Arguments arguments_{};
};

}  // namespace

void register_variant_plug_c(harness::sdk::Registry& registry) {
  registry.add("plug", "c", [](int n) -> harness::sdk::Kernel* { return new C(n); });
}
