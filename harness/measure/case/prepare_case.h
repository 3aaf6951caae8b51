// Everything before a case is sampled: constructs the kernels, fills the inputs, makes the first calls,
// checks their results, and in the first process reads what a call launches. A look at launches ends here.
#pragma once

#include "harness/measure/case/case_parts.h"

namespace harness {

void prepare_case(CaseParts& parts);

// Inputs that the process will need soon can be made on another thread, while a GPU's case is sampled. Making
// them and their right answers takes a tenth of the time of all suites on an H200. Not where the host's time
// is measured, nor beside another build, and nothing while others are made.

// Makes those of the case's audits, if this process audits it.
void make_inputs_of_audit(CaseParts& parts);
// Makes those of the next case that has others than are at hand.
void make_next_inputs(CaseParts& parts);

}  // namespace harness
