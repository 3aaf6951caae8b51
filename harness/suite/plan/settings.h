// How the settings of a case come about: the built-in defaults, with overrides laid over them.
#pragma once

#include <span>

#include "harness/suite/plan/target.h"
#include "harness/suite/suite.h"
#include "harness/suite/yaml/errors.h"

namespace harness {

// Gives the cases of a group their sampling and gate, from weak to strong: the built-in defaults, `defaults`,
// the group, its `overrides` in their order, the command line, and axes of measuring, which are in the case's
// name. Errors for overrides without effect and for settings that contradict each other.
void settle(const Overrides& defaults, const CaseGroup& group, const Target& target,
            const Overrides& command_line, std::span<PlannedCase> cases, ErrorList& errors);

// Lays the gate of `overrides` over a weaker one.
void apply_gate(const Overrides& overrides, Gate& gate);

// An error where `overrides` name lengths of batches and none of the cases that they are for is timed in
// batches.
void check_batches(const Overrides& overrides, std::span<const PlannedCase> cases, ErrorList& errors);

// An error where two cases of a GPU ask for different times at full power: a process works so once, before
// all of its cases.
void check_full_power(std::span<const PlannedCase> cases, ErrorList& errors);

}  // namespace harness
