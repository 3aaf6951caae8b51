// Proof: whether both sides of a case provably do the same on their device. Then no change of the code can
// have changed its time there. Pure.
//
// By launches: both sides need the same digest of all launches (model/record.h), workload, parameters, seed,
// GPU model, driver and libraries. A proof covers the device's time, cycles, hardware counters, error and
// memory of tensors (model/proof_reach.h), and nothing of the host: first call, launches, other memory.
//
// By files, of programs whose suite has `inputs: files`: both sides found the same in all that one start read
// (device/observe/). It covers all metrics, and spares measuring; what was measured is judged as it was
// measured.
//
// By build: both sides are of one build, in an environment that the user named. It holds where launches
// cannot be read, too, and covers all metrics, those of the host included. The current side must not have
// been run.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/model/proof_reach.h"
#include "harness/model/results/comparison.h"
#include "harness/verdict/check/argument_words.h"

namespace harness {

// Whether some process of the case read its launches, or tried to.
bool was_looked_at(const CaseRecord& record);

// The gap in the proof; std::nullopt where the case is proven identical. `machines`: how the two machines
// differ in what a proof needs (MachineMatch::against_proof). `words`: of the traced program that the case is
// of, where they are known; then they stand for the digests.
std::optional<ProofGap> proof_gap(const CaseRecord& baseline, const CaseRecord& current,
                                  const std::vector<Difference>& machines, const WordMatch* words = nullptr);

// The bytes of what a traced program takes from the host that differ between the sides. std::nullopt where a
// side's are not known, or differ between its own starts.
std::optional<std::int64_t> input_bytes_between_sides(const CaseRecord& baseline, const CaseRecord& current);

// Whether the build proves a case: the baseline is right and of the build that the current side is of, on the
// same machine, and nobody ran the current side. `gap`: why launches do not prove it, if they do not. Known
// launches that differ prove the contrary.
bool proven_by_build(const std::optional<ProofGap>& gap, const Record& baseline, const CaseRecord& before,
                     const Record& current, const CaseRecord& after);

// Whether both sides tell the same value of a metric in each process that both have, and they have one. A
// look, process 0, has the inputs of process 1 and counts as it. Where the current side was only looked at,
// this and a proof stand for samples of a metric that the workload reports: both builds made the same of
// equal outputs.
bool told_alike(const Series& baseline, const Series& current);

// Whether a field of the fingerprint must agree for a proof: all that block, and driver and libraries.
bool bears_on_proof(const MachineField& field, std::string_view device);

}  // namespace harness
