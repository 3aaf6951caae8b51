// The sentence that a note says; why a counter has no value, or was not looked up.
#pragma once

#include <string>

#include "harness/model/counter_fact.h"
#include "harness/model/note.h"

namespace harness::report {

std::string words(const Note& note);
std::string words(const CounterFact& fact);

}  // namespace harness::report
