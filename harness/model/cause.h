// Cause: why a case was not measured. The plan and the record hold causes; report/words/cause_words.h puts
// them into words.
#pragma once

#include <string>
#include <utility>

#include "harness/model/fact.h"
#include "harness/schema/enum_names.h"

namespace harness {

enum class CauseCode {
  told,            // text: a sentence of an older record
  not_measured,    // the case's turn has not come yet
  left_out,        // device: the user chose only this one
  no_device,       // device; why: what its library says, or no figure
  no_cuda_module,  // the build was configured without a CUDA toolkit
  architecture,    // needs, has: compute capabilities, "90a" and "80;90a"
  not_built,       // why: what the author of the variant says, or no figure
  unsupported,     // why: what the workload or the variant says about this point, or no figure
  other_device,    // variant, needs, device: kinds of devices
};

template <>
inline constexpr auto enum_names<CauseCode> = names<CauseCode>({{CauseCode::told, "told"},
                                                                {CauseCode::not_measured, "not_measured"},
                                                                {CauseCode::left_out, "left_out"},
                                                                {CauseCode::no_device, "no_device"},
                                                                {CauseCode::no_cuda_module, "no_cuda_module"},
                                                                {CauseCode::architecture, "architecture"},
                                                                {CauseCode::not_built, "not_built"},
                                                                {CauseCode::unsupported, "unsupported"},
                                                                {CauseCode::other_device, "other_device"}});

using Cause = Fact<CauseCode>;

inline Cause told_cause(std::string text) {
  return {CauseCode::told, {{"text", std::move(text)}}};
}

// A cause with the words of an outside author, who may say nothing.
inline Cause cause_with_why(CauseCode code, std::string why) {
  return why.empty() ? Cause{code} : Cause{code, {{"why", std::move(why)}}};
}

}  // namespace harness
