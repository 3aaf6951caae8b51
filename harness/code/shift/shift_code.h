// A kernel's machine code at another offset: a copy of a cubin whose kernel begins with a branch over some
// NOPs. Everything else of the kernel is as it was, 16 bytes and 16 more for each NOP further on.
//
// Code moves as a whole, so branches, calls and jump tables, which are relative, stay as they are. Offsets in
// the cubin are mended: symbols, relocations, lists of instructions (.nv.info), sizes, and the places of
// sections and segments.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace harness {

inline constexpr std::size_t bytes_an_instruction = 16;

struct Shift {
  std::size_t nops = 0;
  std::size_t room =
      0;  // NOPs before and behind the code together, at least `nops`: equal rooms, equal sizes
};

// The kernel by its mangled name. Throws std::runtime_error with the reason: the bytes are no cubin of
// compute capability 9.0, have no such kernel, or hold something whose offsets nobody has seen.
std::string shift_code(std::string_view cubin, const std::string& kernel, Shift shift);

// The size of the kernel's instructions, with the NOPs that fill its section. 0: the cubin has no such
// kernel, or it is no cubin.
std::size_t code_bytes(std::string_view cubin, const std::string& kernel);

}  // namespace harness
