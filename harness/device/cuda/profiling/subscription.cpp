#include "harness/device/cuda/profiling/subscription.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "harness/base/text.h"

namespace harness::cuda {
namespace {

constexpr const char* our_name = "harness";

tl::unexpected<Error> occupied(std::string_view by, std::string advice) {
  const std::string name = by.empty() ? "another profiler" : fmt::format("`{}`", printable(by));
  return fail(ErrorKind::environment, fmt::format("{} holds CUPTI in this process", name), std::move(advice));
}

}  // namespace

Result<std::unique_ptr<Subscription>> Subscription::open(const Cupti& cupti, OnModule on_module,
                                                         OnCall on_call) {
  std::unique_ptr<Subscription> opened(new Subscription(cupti, std::move(on_module), std::move(on_call)));
  if (Status done = opened->subscribe(); !done) return fail(std::move(done.error()));
  return opened;
}

Status Subscription::subscribe() {
  std::array<char, CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN> holder{};
  CUptiResult code = CUPTI_SUCCESS;
  if (cupti_.Subscribe_v2 != nullptr) {
    CUpti_SubscriberParams parameters{};
    parameters.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    parameters.subscriberName = our_name;
    parameters.oldSubscriberName = holder.data();
    parameters.oldSubscriberSize = holder.size();
    code = cupti_.Subscribe_v2(&handle_, &Subscription::called, this, &parameters);
  } else {
    code = cupti_.Subscribe(&handle_, &Subscription::called, this);
  }
  if (code != CUPTI_SUCCESS) handle_ = nullptr;
  Status done = cupti_.check(code, "cuptiSubscribe");
  holder.back() = '\0';
  if (code == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
    return occupied(holder.data(), std::move(done.error().advice));
  if (!done) return done;
  done = cupti_.check(
      cupti_.EnableCallback(1, handle_, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED),
      "cuptiEnableCallback");
  if (!done || !on_call_) return done;
  return cupti_.check(cupti_.EnableDomain(1, handle_, CUPTI_CB_DOMAIN_DRIVER_API), "cuptiEnableDomain");
}

Subscription::~Subscription() {
  if (handle_ == nullptr) return;
  (void)cupti_.Unsubscribe(handle_);
  (void)cupti_.Finalize();
}

void Subscription::called(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  auto& subscription = *static_cast<Subscription*>(self);
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API && data != nullptr && subscription.on_call_)
    return subscription.on_call_(id, *static_cast<const CUpti_CallbackData*>(data));
  if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_MODULE_LOADED || data == nullptr)
    return;
  const auto* resource = static_cast<const CUpti_ResourceData*>(data);
  const auto* module = static_cast<const CUpti_ModuleResourceData*>(resource->resourceDescriptor);
  if (module == nullptr || module->pCubin == nullptr || module->cubinSize == 0) return;
  subscription.on_module_({reinterpret_cast<const std::byte*>(module->pCubin), module->cubinSize});
}

}  // namespace harness::cuda
