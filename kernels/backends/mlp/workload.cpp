#include "kernels/backends/network_workload.h"

namespace backends {
namespace {

class MlpWorkload final : public NetworkWorkload {
 public:
  MlpWorkload() : NetworkWorkload(Network::mlp) {}
  [[nodiscard]] std::string_view name() const override { return "mlp"; }
  [[nodiscard]] std::string_view summary() const override { return "layers of relu(x W)"; }
};

}  // namespace
}  // namespace backends

HARNESS_WORKLOAD(mlp, backends::MlpWorkload)
