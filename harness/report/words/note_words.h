// The sentence that a note says.
#pragma once

#include <string>

#include "harness/model/note.h"

namespace harness::report {

std::string words(const Note& note);

}  // namespace harness::report
