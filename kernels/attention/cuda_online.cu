// attention/online: a thread a query, nothing kept but the running softmax.
#include "kernels/attention/online_kernel.cuh"
#include "kernels/attention/query_thread.cuh"

namespace attention {
namespace {

struct Online {
  static constexpr int threads = online_threads;
  static constexpr const char* launch = "launch of online_kernel";
  template <class Element, int most>
  static auto kernel() {
    return online_kernel<Element, most>;
  }
};

}  // namespace
}  // namespace attention

HARNESS_VARIANT(attention, online, cuda, "online softmax, one thread a query",
                attention::QueryThread<attention::Online>)
