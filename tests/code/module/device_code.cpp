// A module with device code as nvcc embeds it: containers, and wrappers that point to them. The first has a
// cubin for 9.0 that Zstandard packed, the second PTX that LZ4 packed. Nothing here needs a toolkit.
#include <cstdint>

asm(R"(
    .pushsection .nv_fatbin, "a", @progbits
    .balign 8
first:
    .incbin ")" FATBIN_FOLDER R"(/zstd.fatbin"
    .balign 8
second:
    .incbin ")" FATBIN_FOLDER R"(/lz4.fatbin"
    .balign 8
    .popsection
    .pushsection .nvFatBinSegment, "aw", @progbits
    .balign 8
wrappers:
    .long 0x466243b1, 1
    .quad first, 0
    .long 0x466243b1, 1
    .quad second, 0
    .popsection
)");

extern "C" {
extern const std::uint64_t wrappers[];

// The containers that a runtime would be given.
__attribute__((visibility("default"))) const void* registered_container(int number) {
  return reinterpret_cast<const void*>(wrappers[3 * number + 1]);
}
}
