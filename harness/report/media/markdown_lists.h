// Markdown lists: facts, and reasons with the cases that they apply to. Pure.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "harness/report/documents/identity.h"

namespace harness::report {

// "- **revision**: 3f2c1d9"
std::string markdown_facts(std::span<const std::pair<std::string, std::string>> facts);

// The reason, then its cases as patterns with counts.
std::string markdown_abridged(const ReasonGroup& group);

// The reason, then each case with its figures, of a group that has some.
std::string markdown_figures(const ReasonGroup& group);

// Every case by name, then the reason.
std::string markdown_full(const ReasonGroup& group);

}  // namespace harness::report
