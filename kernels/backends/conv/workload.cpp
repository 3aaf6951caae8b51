#include "kernels/backends/network_workload.h"

namespace backends {
namespace {

class ConvWorkload final : public NetworkWorkload {
 public:
  ConvWorkload() : NetworkWorkload(Network::conv) {}
  [[nodiscard]] std::string_view name() const override { return "conv"; }
  [[nodiscard]] std::string_view summary() const override { return "layers of relu(3 x 3 convolution of x)"; }
};

}  // namespace
}  // namespace backends

HARNESS_WORKLOAD(conv, backends::ConvWorkload)
