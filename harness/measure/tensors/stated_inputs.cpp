#include "harness/measure/tensors/stated_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "harness/base/text.h"
#include "harness/sdk/in_parts.h"

namespace harness {
namespace {

// Elements that one thread sets at a time. Even, because two packed elements share a byte.
constexpr std::int64_t elements_at_once = 4096;

template <class Set>
void for_each_element(std::int64_t count, const Set& set) {
  sdk::in_parts(
      (count + elements_at_once - 1) / elements_at_once, 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first * elements_at_once; i < std::min(last * elements_at_once, count); ++i)
          set(i);
      });
}

// A number from 0 to below 1 that depends on the arguments alone.
double uniform_at(std::uint64_t seed, std::int64_t index) {
  return static_cast<double>(mixed(seed + static_cast<std::uint64_t>(index)) >> 11) * 0x1p-53;
}

double normal_at(std::uint64_t seed, std::int64_t index) {  // Box and Muller
  const double radius = std::sqrt(-2 * std::log(1 - uniform_at(seed, 2 * index)));
  return radius * std::cos(2 * std::numbers::pi * uniform_at(seed, 2 * index + 1));
}

std::uint64_t seed_of_tensor(std::uint64_t seed, std::size_t number) {
  return mixed(seed ^ mixed(number + 1));
}

void draw_values(InputsMode mode, std::uint64_t seed, sdk::HostTensor& tensor) {
  for_each_element(tensor.spec.elements(), [&](std::int64_t i) {
    tensor.set(i, mode == InputsMode::normal ? normal_at(seed, i) : 2 * uniform_at(seed, i) - 1);
  });
}

// Bytes of a tensor's stated values; null: zeros.
void set_all(sdk::HostTensor& tensor, const std::byte* stated) {
  if (tensor.data.empty()) return;
  if (stated == nullptr)
    std::memset(tensor.data.data(), 0, tensor.data.size());
  else
    std::memcpy(tensor.data.data(), stated, tensor.data.size());
}

// The same, but one element of every one_drawn_of stays as drawn, at places that follow from the seed. Values
// of a file that are indices are left whole: others may lie outside.
void set_most(sdk::HostTensor& tensor, const std::byte* stated, std::uint64_t seed) {
  const sdk::DType type = tensor.spec.dtype;
  if (stated != nullptr && sdk::is_whole(type)) return set_all(tensor, stated);
  for_each_element(tensor.spec.elements(), [&](std::int64_t i) {
    if (mixed(seed + static_cast<std::uint64_t>(i)) % StatedInputs::one_drawn_of == 0) return;
    tensor.set(i, stated == nullptr ? 0.0 : sdk::load(stated, type, i));
  });
}

TensorFile load_stated(const PlannedCase& planned) {
  Result<TensorFile> file = TensorFile::load(planned.inputs_file);
  if (!file) throw std::runtime_error(file.error().message);
  if (file->hash() != planned.sampling.inputs_hash)
    throw std::runtime_error(
        fmt::format("`{}` has other bytes now than when the run began", printable(planned.inputs_file)));
  return std::move(*file);
}

}  // namespace

StatedInputs::StatedInputs(const PlannedCase& planned)
    : name_(planned.sampling.inputs + planned.sampling.inputs_hash),
      mode_(parse_name<InputsMode>(planned.sampling.inputs)) {}

std::optional<StatedInputs> StatedInputs::of(const PlannedCase& planned, const sdk::Problem& problem) {
  StatedInputs stated(planned);
  if (stated.mode_ == InputsMode::drawn) return std::nullopt;
  if (!stated.mode_) {
    stated.file_ = std::make_shared<TensorFile>(load_stated(planned));
    if (const Status fits = stated.file_->fits(problem); !fits)
      throw std::runtime_error(fits.error().message + ": " + fits.error().advice);
  } else if (std::none_of(problem.tensors.begin(), problem.tensors.end(),
                          [&](const sdk::TensorSpec& one) { return takes(*stated.mode_, one); })) {
    throw std::runtime_error("no input of the case takes the values that the suite states");
  }
  return stated;
}

InputsRecipe StatedInputs::usual(std::uint64_t seed) const {
  return {name_, [mode = mode_, file = file_, seed](std::span<sdk::HostTensor> inputs) {
            for (std::size_t i = 0; i < inputs.size(); ++i) {
              sdk::HostTensor& one = inputs[i];
              if (one.spec.role != sdk::Role::input || (mode && !takes(*mode, one.spec))) continue;
              if (!mode || mode == InputsMode::zeros)
                set_all(one, mode ? nullptr : file->bytes_of(one.spec.name).data());
              else
                draw_values(*mode, seed_of_tensor(seed, i), one);
            }
          }};
}

InputsRecipe StatedInputs::unseen(std::uint64_t seed) const {
  if (mode_ && mode_ != InputsMode::zeros) return usual(seed);
  return {name_ + " but some", [mode = mode_, file = file_, seed](std::span<sdk::HostTensor> inputs) {
            for (std::size_t i = 0; i < inputs.size(); ++i) {
              sdk::HostTensor& one = inputs[i];
              if (one.spec.role != sdk::Role::input || (mode && !takes(*mode, one.spec))) continue;
              set_most(one, mode ? nullptr : file->bytes_of(one.spec.name).data(), seed_of_tensor(seed, i));
            }
          }};
}

}  // namespace harness
