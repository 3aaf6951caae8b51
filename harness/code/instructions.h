// The instructions of machine code for compute capability 7.0 and newer, counted by class. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "harness/model/code/code_change.h"

namespace harness {

// A row of the table: the lowest nine bits of an instruction say what it does, the next three where its
// operands are.
struct Operation {
  std::uint16_t code;
  std::string_view name;  // as nvdisasm writes it, without what follows a point
  InstructionClass kind;
};

// ci/check_operations.sh compares it with nvdisasm on a machine that has that.
std::span<const Operation> operations();

// Adds the instructions of a function, without those that fill its section up.
void count_instructions(std::string_view code, KernelFigures& figures);

}  // namespace harness
