// Inputs that nobody has seen, with the right values of a few elements of each output. They stay in the
// referee's process.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/device/sides/sides.h"
#include "harness/measure/tensors/inputs.h"
#include "harness/measure/tensors/verify.h"
#include "harness/sdk/workload.h"

namespace harness::referee {

struct DrawnOutput {
  std::vector<std::int64_t> indices;  // of the elements that are checked, ascending
  Expected right;                     // of all of these, in order
};

struct Drawn {
  std::vector<sdk::HostTensor> inputs;  // in the order of Problem::tensors
  std::vector<DrawnOutput> outputs;     // likewise
};

// At most few_elements of each output are checked, drawn by `seed`. May throw what the workload throws.
Drawn draw(const sdk::Workload& workload, const sdk::Params& params, const sdk::Problem& problem,
           std::uint64_t seed);

// Where the checked elements lie when the problem's tensors begin at `addresses`. Added to `reads`.
void add_reads(const sdk::Problem& problem, const Drawn& drawn, std::span<std::byte* const> addresses,
               std::vector<SharedRead>& reads);

// The number of reads that add_reads() adds.
std::size_t reads_of(const sdk::Problem& problem, const Drawn& drawn);

// Checks what these reads got. `unwritten`: the byte that the outputs were filled with.
Finding check_reads(const sdk::Problem& problem, const Drawn& drawn, std::span<const std::uint64_t> got,
                    unsigned char unwritten);

}  // namespace harness::referee
