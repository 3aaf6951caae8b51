// A target with a known flaw, to test the standalone driver: input in which a line stands twice in a
// row, which no seed has and which duplicating lines must reach.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool reached = text.find("close it\nclose it\n") != std::string_view::npos;
#if defined(PLANTED_crash)
  if (reached) std::abort();
#elif defined(PLANTED_hang)
  volatile bool forever = reached;
  while (forever) {
  }
#else
  (void)reached;
#endif
  return 0;
}
