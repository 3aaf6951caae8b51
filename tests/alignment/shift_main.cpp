// shift_code CUBIN KERNEL NOPS [ROOM] > OUT: the cubin with the code of the kernel shifted (shift_code.h).
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "harness/code/shift/shift_code.h"

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fputs("usage: shift_code CUBIN KERNEL NOPS [ROOM] > OUT\n", stderr);
    return 2;
  }
  try {
    std::ifstream file(argv[1], std::ios::binary);
    const std::string cubin((std::istreambuf_iterator<char>(file)), {});
    harness::Shift shift{std::stoul(argv[3]), 0};
    if (argc == 5) shift.room = std::stoul(argv[4]);
    std::cout << harness::shift_code(cubin, argv[2], shift);
    return std::cout.good() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "shift_code: %s: %s\n", argv[1], error.what());
    return 1;
  }
}
