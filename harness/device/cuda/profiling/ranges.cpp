#include "harness/device/cuda/profiling/ranges.h"

namespace harness::cuda {
namespace {

void push(nvtxDomainHandle_t domain, const std::string& text) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = text.c_str();
  nvtxDomainRangePushEx(domain, &attributes);
}

}  // namespace

Ranges::Ranges()
    : domain_(nvtxDomainCreateA("harness")),
      stack_(std::make_unique<RangeStack>(
          RangeStack::Timeline{[this](const std::string& name) { push(domain_, name); },
                               [this] { nvtxDomainRangePop(domain_); }})) {}

Ranges::~Ranges() {
  stack_.reset();
  nvtxDomainDestroy(domain_);
}

}  // namespace harness::cuda
