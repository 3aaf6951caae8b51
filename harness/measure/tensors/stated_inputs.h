// StatedInputs: the values on which a suite wants the calls of a case to be timed, where these are not the
// drawn ones (Sampling::inputs). Results are checked on drawn values, whatever the suite states, because
// zeros and the values of a file can be known.
#pragma once

#include <cstdint>
#include <memory>

#include "harness/catalog/tensor_file.h"
#include "harness/measure/tensors/inputs.h"
#include "harness/model/plan.h"

namespace harness {

class StatedInputs {
 public:
  // std::nullopt where the case is timed on drawn values. Throws where its file cannot be read, is not the
  // one that the plan saw, or does not fit the problem.
  static std::optional<StatedInputs> of(const PlannedCase& planned, const sdk::Problem& problem);

  // The values that samples are taken on. `seed`: of the case's drawn inputs.
  [[nodiscard]] InputsRecipe usual(std::uint64_t seed) const;

  // Values of the same kind that the process has not seen, to tell whether a variant does the same work on
  // them. `uniform` and `normal` are drawn anew. Zeros and a file have one element of every 64 as drawn:
  // so few take no longer, and yet most results of a long sum depend on some.
  [[nodiscard]] InputsRecipe unseen(std::uint64_t seed) const;
  static constexpr std::int64_t one_drawn_of = 64;

 private:
  explicit StatedInputs(const PlannedCase& planned);

  std::string name_;  // of the values, for the cache
  std::optional<InputsMode> mode_;
  std::shared_ptr<const TensorFile> file_;
};

}  // namespace harness
