#include "harness/device/cuda/ranges.h"

#include <fmt/format.h>

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

Ranges::Ranges() : domain_(nvtxDomainCreateA("harness")) {}

Ranges::~Ranges() {
  while (depth_ > 0) leave();
  nvtxDomainDestroy(domain_);
}

void Ranges::leave() {
  nvtxDomainRangePop(domain_);
  --depth_;
}

void Ranges::enter(const Place& place) {
  if (depth_ == 2) leave();
  if (depth_ == 1 && (case_ != place.case_id || process_ != place.process)) leave();
  if (depth_ == 0) {
    case_ = place.case_id;
    process_ = place.process;
    push(domain_, fmt::format("{} process {}", case_, process_));
    ++depth_;
  }
  push(domain_, place.placement < 0 ? std::string("warm-up") : fmt::format("placement {}", place.placement));
  ++depth_;
}

}  // namespace harness::cuda
