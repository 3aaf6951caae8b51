// Whether a variant's outputs are right. Pure: tensors in host memory in, a finding out, the same on any
// number of threads (sdk/in_parts.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/measure/tensors/inputs.h"
#include "harness/model/cause.h"
#include "harness/sdk/workload.h"

namespace harness {

// "[3, 17]": where a flat row-major index is.
std::string position_in(std::int64_t index, const std::vector<std::int64_t>& shape);

// The byte that outputs are filled with before a checked call: all ones is NaN in every floating type here,
// so an element that was never written cannot pass for a right one.
inline constexpr unsigned char poison = 0xFF;

// The largest error of one element, in multiples of the tolerance, relative to the larger of its right value
// and the root mean square of all. Otherwise one wrong element among a million hides in a norm.
inline constexpr double element_allowance = 32;

// The multiple of the tolerance that audits allow, which check few elements.
inline constexpr double audit_allowance = 4;

// How outputs are checked. By default as before and after timing.
struct Checking {
  unsigned char unwritten = poison;   // the byte that the outputs were filled with
  double allowance = 1;               // multiplies the tolerance
  const CaseInputs* usual = nullptr;  // their right values give the scale where few elements are checked
};

struct Finding {
  double error = 0;                 // ||out - ref|| / ||ref|| of the worst output; NaN where it has none
  std::int64_t elements = 0;        // checked in the output with the most
  std::optional<Cause> wrong = {};  // what is wrong with the first wrong output
};

// Right values of some elements of an output, as Workload::reference() gives them.
using RightValues =
    std::function<void(std::size_t output, std::span<const std::int64_t> wanted, std::span<double> right)>;

// Compares `outputs` (in the order of Problem::tensors) with the right values in `inputs`. Also looks at
// every element for remaining poison, NaN or infinity, and compares those with the reference, too. Where the
// norm of the reference is 0, the error is the root mean square of the output. Elements that hold nothing but
// the byte Checking::unwritten are compared, too. Asks `right_values` for suspicious elements that `inputs`
// has no right values of, and throws what that throws.
Finding verify(const RightValues& right_values, const sdk::Problem& problem, const CaseInputs& inputs,
               std::span<const sdk::HostTensor> outputs, const Checking& how = {});

// The elements of each output that hold nothing but `byte`, where that may be a right value: 0xFF is no NaN
// in whole numbers and packed types. Other outputs have none.
using HeldBytes = std::vector<std::vector<std::int64_t>>;
HeldBytes elements_holding(unsigned char byte, std::span<const sdk::HostTensor> outputs);

// The cause where elements held one byte after a call, and hold another one after a second call on
// outputs that were filled with that: nobody wrote them.
std::optional<Cause> never_written(const HeldBytes& before, unsigned char byte,
                                   std::span<const sdk::HostTensor> outputs);

// A byte for a second check of such outputs.
inline constexpr unsigned char second_poison = 0x5A;

// Whether an output has elements that may hold `poison` for a right value.
bool may_hold_poison(const sdk::Problem& problem);

}  // namespace harness
