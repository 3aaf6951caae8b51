// The parameters of a call in a callback of CUPTI, and handles as numbers.
#pragma once

#include <cupti.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "harness/device/code/case_recorder.h"

namespace harness::cuda {

template <class Params>
const Params& params(const CUpti_CallbackData& data) {
  return *static_cast<const Params*>(data.functionParams);
}

inline bool is_in(const std::vector<CUpti_CallbackId>& list, CUpti_CallbackId id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

inline std::uint64_t handle(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

inline void add_figures(DriverCall& call,
                        std::initializer_list<std::pair<const char*, std::int64_t>> figures) {
  call.figures.insert(call.figures.end(), figures.begin(), figures.end());
}

inline std::optional<std::uint64_t> handle_of(std::optional<CUstream> stream) {
  return stream ? std::optional(handle(static_cast<const void*>(*stream))) : std::nullopt;
}

}  // namespace harness::cuda
