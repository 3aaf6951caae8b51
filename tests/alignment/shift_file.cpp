// shift_file FILE INSTRUCTIONS KERNEL... > OUT: the program or shared object with these kernels (demangled
// names) and the functions of their images behind a branch over so many NOPs (shifted_file.h). For compute
// capability 9.0.
#include <cstdio>
#include <exception>
#include <iostream>
#include <set>
#include <string>

#include "harness/code/mapped_file.h"
#include "harness/code/shift/shifted_file.h"

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: shift_file FILE INSTRUCTIONS KERNEL... > OUT\n", stderr);
    return 2;
  }
  const auto fails = [&](const std::string& why) {
    std::fprintf(stderr, "shift_file: %s: %s\n", argv[1], why.c_str());
    return 1;
  };
  try {
    const std::set<std::string> wanted(argv + 3, argv + argc);
    const auto file = harness::MappedFile::open(argv[1]);
    if (!file) return fails(file.error().message);
    const auto shifted = harness::shifted_file(file->bytes(), 90, std::stoul(argv[2]), wanted);
    if (!shifted) return fails(shifted.error().message);
    for (const std::string& name : wanted)
      if (!shifted->shifted.contains(name)) return fails("not shifted: " + name);
    std::cout << shifted->bytes;
    return std::cout.good() ? 0 : 1;
  } catch (const std::exception& error) {
    return fails(error.what());
  }
}
