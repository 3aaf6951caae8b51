// The sentence that tells why a case was not measured.
#pragma once

#include <string>

#include "harness/model/cause.h"

namespace harness::report {

std::string words(const Cause& cause);

}  // namespace harness::report
