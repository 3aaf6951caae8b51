// The calls of the driver that load modules and libraries. Any thread may call these.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace harness::cuda {

[[nodiscard]] const std::vector<CUpti_CallbackId>& load_calls();
[[nodiscard]] bool is_load(CUpti_CallbackId id);

// The image that such a call is told to load, if it is a cubin. Other kinds, such as compressed ones, come
// through the driver.
[[nodiscard]] std::span<const std::byte> image_to_load(CUpti_CallbackId id, const CUpti_CallbackData& data);

// The handle of what such a call, which ends, has loaded; 0: nothing.
[[nodiscard]] std::uint64_t loaded_handle(const CUpti_CallbackData& data);

}  // namespace harness::cuda
