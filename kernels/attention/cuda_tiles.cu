// attention/tiles: keys and values pass through shared memory in tiles.
#include "kernels/attention/query_thread.cuh"
#include "kernels/attention/tiles_kernel.cuh"

namespace attention {
namespace {

struct Tiles {
  static constexpr int threads = tiles_threads;
  static constexpr const char* launch = "launch of tiles_kernel";
  template <class Element, int most>
  static auto kernel() {
    return tiles_kernel<Element, most>;
  }
};

}  // namespace
}  // namespace attention

HARNESS_VARIANT(attention, tiles, cuda, "online softmax; keys and values in shared memory",
                attention::QueryThread<attention::Tiles>)
