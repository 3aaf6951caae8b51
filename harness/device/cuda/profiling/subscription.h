// Subscription: attaches CUPTI, which has one subscriber at a time, to this process. The destructor detaches
// it before anything is timed. One thread makes and ends it; module loads and driver calls come from any
// thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "harness/device/cuda/profiling/cupti_library.h"

namespace harness::cuda {

class Subscription {
 public:
  // The image of a module that the driver has just loaded; valid until the function returns.
  using OnModule = std::function<void(std::span<const std::byte> image)>;
  // A function of the driver begins or ends; what `data` points to is valid until the function returns.
  using OnCall = std::function<void(CUpti_CallbackId id, const CUpti_CallbackData& data)>;

  // The error names the other subscriber, if there is one.
  // Without `on_call`, driver functions cost nothing.
  static Result<std::unique_ptr<Subscription>> open(const Cupti& cupti, OnModule on_module,
                                                    OnCall on_call = {});
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;
  ~Subscription();  // unsubscribes and detaches CUPTI; the device must be idle

 private:
  Subscription(const Cupti& cupti, OnModule on_module, OnCall on_call)
      : cupti_(cupti), on_module_(std::move(on_module)), on_call_(std::move(on_call)) {}
  static void CUPTIAPI called(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
  Status subscribe();

  const Cupti& cupti_;
  OnModule on_module_;
  OnCall on_call_;
  CUpti_SubscriberHandle handle_ = nullptr;
};

}  // namespace harness::cuda
