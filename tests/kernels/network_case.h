// A case of mlp, conv or transformer for tests of their variants, with its tensors in emulated memory.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/backends/network.h"
#include "tests/emulate/memory.h"
#include "tests/kernels/relative_error.h"

void register_workload_mlp(harness::sdk::Registry&);
void register_workload_conv(harness::sdk::Registry&);
void register_workload_transformer(harness::sdk::Registry&);

namespace backends {

inline harness::sdk::Params params_of(const Shape& shape) {
  harness::sdk::Params params;
  params.set("dtype", std::string(harness::sdk::name_of(shape.dtype)));
  if (shape.network == Network::transformer) params.set("heads", shape.heads);
  params.set("layers", shape.layers);
  params.set("batch", shape.batch);
  if (shape.network == Network::transformer) params.set("length", shape.length);
  params.set(shape.network == Network::conv ? "channels" : "width", shape.width);
  if (shape.network == Network::conv) params.set("size", shape.size);
  return params;
}

class NetworkCase {
 public:
  explicit NetworkCase(const Shape& shape, std::uint64_t seed = 11) : params(params_of(shape)) {
    switch (shape.network) {
      case Network::mlp: register_workload_mlp(registry_); break;
      case Network::conv: register_workload_conv(registry_); break;
      case Network::transformer: register_workload_transformer(registry_); break;
    }
    problem = workload().problem(params);
    for (const harness::sdk::TensorSpec& tensor : problem.tensors) {
      tensors.emplace_back(tensor);
      memory_.push_back(std::make_unique<emulate::Memory>(tensor.name, tensor.bytes()));
      addresses.push_back(memory_.back()->data());
    }
    workload().fill(params, seed, std::span(tensors).first(1));
    std::memcpy(addresses[x_index], tensors[x_index].data.data(), tensors[x_index].data.size());
  }

  // How far y in memory is off, as a multiple of the tolerance.
  [[nodiscard]] double error() {
    std::memcpy(tensors[y_index].data.data(), addresses[y_index], tensors[y_index].data.size());
    return relative_error(workload(), params, std::span(tensors).first(1), tensors[y_index]) /
           problem.tolerance.relative;
  }

  [[nodiscard]] const harness::sdk::Workload& workload() const { return *registry_.workloads.front(); }

  harness::sdk::Params params;
  harness::sdk::Problem problem;
  std::vector<harness::sdk::HostTensor> tensors;  // x and y
  std::vector<void*> addresses;

 private:
  harness::sdk::Registry registry_;
  std::vector<std::unique_ptr<emulate::Memory>> memory_;
};

}  // namespace backends
