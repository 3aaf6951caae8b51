// A build at another place: a copy of a program or shared object whose device functions all begin with a
// branch over n NOPs (shift_code.h). The rest of the file stays where it is.
//
//   before  | ... .nv_fatbin ... .nvFatBinSegment ... |
//   after   | ... (old)      ... pointers changed ... | the containers, shifted |   one segment more
//
// The new segment takes the program header of a note. Wrappers point to their containers by relative
// relocations, or by the words themselves where the file has a fixed address. PTX, code for other
// architectures and relocatable code stay as they are. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>

#include "harness/base/result.h"

namespace harness {

struct ShiftedFile {
  std::string bytes;
  // Functions for the architecture, demangled. A name can be in both where several images have it.
  // With the hashes of their code, as records have them (KernelUse::code).
  std::map<std::string, std::set<std::string>> shifted;
  // And why. Where one function of an image is refused, the others of it are named here, too.
  std::map<std::string, std::string> refused;
};

// `architecture`: the compute capability of the device, 90 for 9.0. Only images that have a function of
// `wanted` (demangled) are shifted, so that the copy is not much larger. An error says why the file cannot be
// written so: it is no linked file for x86-64, it registers no device code, or it has no room for a segment.
Result<ShiftedFile> shifted_file(std::span<const std::byte> file, unsigned architecture, std::size_t nops,
                                 const std::set<std::string>& wanted);

}  // namespace harness
