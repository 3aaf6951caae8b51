// The instructions of machine code for compute capability 7.0 and newer, one by one, as far as the table of
// operations tells. Without a disassembler their registers stay untold. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/code/code_sides.h"

namespace harness {

struct Instruction {
  std::string operation;  // "LDG.128", "@P BRA back"; both sides of a kernel are aligned by it
  std::string text;       // the same with the numbers that it holds: "LDG.128 +0x10"
  InstructionClass kind = InstructionClass::other;
  int access_bytes = 0;       // of a load or store of global memory
  std::int64_t target = -1;   // of a branch: the place of an instruction
  bool asynchronous = false;  // copies from global to shared memory
};

// `architecture`: "sm_90a". Instructions that fill a section up are left out.
std::vector<Instruction> listing_of(std::string_view code, std::string_view architecture);

// The figures that only instructions tell, beside those of the image.
CodeProfile profile_of(const std::vector<Instruction>& listing, const KernelFigures& figures);

// Sets the lines of both sides around those that differ.
void align(const std::vector<Instruction>& baseline, const std::vector<Instruction>& current,
           CodeSides& sides);

}  // namespace harness
