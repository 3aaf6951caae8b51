#include "kernels/backends/network_workload.h"

namespace backends {
namespace {

class TransformerWorkload final : public NetworkWorkload {
 public:
  TransformerWorkload() : NetworkWorkload(Network::transformer) {}
  [[nodiscard]] std::string_view name() const override { return "transformer"; }
  [[nodiscard]] std::string_view summary() const override {
    return "blocks of attention and two linear layers, each added and normalised";
  }
};

}  // namespace
}  // namespace backends

HARNESS_WORKLOAD(transformer, backends::TransformerWorkload)
