// The kernel of the variant wgmma: Hopper's Tensor Cores with warps that specialise (after Shah et al.,
// "FlashAttention-3", 2024). One warp has the copy engine bring keys and values to a ring in shared memory;
// warpgroups of 64 queries each consume them. A warpgroup starts the scores of the next tile and the sums of
// this one together. It computes the softmax of the one while the other runs. Warpgroups take turns at
// starting products, so that softmax and products overlap.
#pragma once

#include "kernels/attention/wgmma/tiles.cuh"
#include "kernels/ptx/small.cuh"
#include "kernels/ptx/wgmma.cuh"

namespace attention {

// Where a tile of keys and values is. Tiles that lie in several places, or arrive during the kernel, bring a
// function place() (kernels/ring_attention/gathered_kernel.cuh).
struct WgmmaPlace {
  const ptx::TensorMap* k;
  const ptx::TensorMap* v;
  int matrix;
  int first_key;
};

// One thread: fills the ring.
template <class Tiles, class Tiling = typename Tiles::Tiling>
KERNEL_DEVICE void produce(const typename Tiles::Problem& problem, const WgmmaMemory<Tiling>& memory,
                           Tiles tiles, const ptx::TensorMap* q, const ptx::TensorMap* k,
                           const ptx::TensorMap* v) {
  const auto load = [&](std::uint32_t to, const ptx::TensorMap* map, int panel_bytes, int row, int matrix,
                        std::uint32_t full) {
    ptx::mbarrier_arrive_expect(full, Tiling::panels * panel_bytes);
    KERNEL_UNROLL
    for (int panel = 0; panel < Tiling::panels; ++panel)
      ptx::tma_load_3d(to + panel * panel_bytes, map, panel * wgmma_panel, row, matrix, full);
  };
  int done = 0;  // tiles of earlier blocks of queries
  for (int block = 0;; ++block) {
    for (int step = 0; step < tiles.count; ++step) {
      WgmmaPlace at{k, v, tiles.matrix, 0};
      if constexpr (requires { tiles.place(problem, at); })
        tiles.place(problem, at);
      else
        at.first_key = Tiles::first_key(tiles.entry(problem, step));
      const int stage = (done + step) % Tiling::stages;
      // The round before: a fresh barrier has passed it.
      const int parity = (done + step) / Tiling::stages % 2 ^ 1;
      ptx::mbarrier_wait(memory.keys_empty(stage), parity);
      load(memory.keys(stage), at.k, Tiling::key_panel_bytes, at.first_key, at.matrix,
           memory.keys_full(stage));
      if (step == 0) {
        const int buffer = block % Tiling::query_buffers;
        if constexpr (Tiling::is_queue)
          ptx::mbarrier_wait(memory.queries_empty(buffer), block / Tiling::query_buffers % 2 ^ 1);
        load(memory.queries(buffer), q, Tiling::query_panel_bytes, tiles.query, tiles.matrix,
             memory.queries_full(buffer));
      }
      ptx::mbarrier_wait(memory.values_empty(stage), parity);
      load(memory.values(stage), at.v, Tiling::key_panel_bytes, at.first_key, at.matrix,
           memory.values_full(stage));
    }
    if constexpr (Tiling::is_queue) {
      if (tiles.is_last()) return;
      done += tiles.count;
      tiles.next(problem);
    } else {
      return;
    }
  }
}

// One warpgroup's 64 queries. Thread t of warp w has of each result rows 16w + t / 4 and 8 below it.
template <class Tiles, class Element>
class WgmmaConsumer {
  using Tiling = typename Tiles::Tiling;
  using Problem = typename Tiles::Problem;
  static constexpr bool carries = requires(const Problem& any) { any.carry; };
  static_assert(!Tiling::is_queue || (!Tiles::may_be_empty && !carries), "a queue has neither");

 public:
  // `results`: describes O to the copy engine where the tiling is a queue's.
  KERNEL_DEVICE WgmmaConsumer(const Problem& problem, const WgmmaMemory<Tiling>& memory, const Tiles& tiles,
                              const ptx::TensorMap* results, int consumer)
      : problem_(problem),
        memory_(memory),
        tiles_(tiles),
        results_(results),
        consumer_(consumer),
        lane_(static_cast<int>(threadIdx.x) % 32) {}

  KERNEL_DEVICE void run() {
    begin();
    if constexpr (Tiles::may_be_empty)
      if (tiles_.count == 0) return store(rows());        // no product is started, and no turn taken
    if (consumer_ == Tiling::consumers - 1) pass_turn();  // the first may begin
    const int entry = tiles_.entry(problem_, 0);
    wait_for_keys(0);
    take_turn();
    start_scores(stage(0));
    pass_turn(0);
    ptx::wgmma_wait<0>();
    take_scores(0, entry);
    weigh();
    pack_weights();
    for (;;) {
      for (int step = 1; step < tiles_.count; ++step) {
        const int before = stage(step - 1);
        start_both(step, before, parity(step - 1));
        float factors[2];
        weigh(factors);
        finish_sums(before);
        KERNEL_UNROLL
        for (int i = 0; i < Tiling::d / 2; ++i) sums_[i] *= factors[i / 2 % 2];
        pack_weights();
      }
      if constexpr (Tiling::is_queue) {
        if (tiles_.is_last()) break;
        // The first step of the next queries, with the last sums of these.
        const int before = stage(tiles_.count - 1), parity_before = parity(tiles_.count - 1);
        const Rows done = rows();
        done_ += tiles_.count;
        ++block_;
        tiles_.next(problem_);
        begin();
        start_both(0, before, parity_before);
        weigh();
        finish_sums(before);
        store(done);
        KERNEL_UNROLL
        for (float& sum : sums_) sum = 0;
        pack_weights();
      } else {
        break;
      }
    }
    const int last = tiles_.count - 1;
    ptx::mbarrier_wait(memory_.values_full(stage(last)), parity(last));
    start_sums(stage(last));
    ptx::wgmma_wait<0>();
    ptx::wgmma_pin(sums_);
    ptx::wgmma_pin(weights_);
    store(rows());
    if constexpr (Tiling::is_queue) wait_for_engine();
  }

 private:
  static constexpr int scores = Tiling::keys / 2;  // of a thread
  static constexpr int depths = Tiling::keys / 16;

  // A thread's rows, for storing their results: where they are, and the sums of their weights.
  struct Rows {
    int matrix;
    int query;  // the first; the other one is 8 below
    float totals[2];
  };
  [[nodiscard]] KERNEL_DEVICE Rows rows() const { return {tiles_.matrix, query_, {totals_[0], totals_[1]}}; }

  // With the first tile of keys.
  KERNEL_DEVICE void begin() {
    first_query_ = tiles_.query + consumer_ * 64;
    query_ = first_query_ + static_cast<int>(threadIdx.x) % 128 / 32 * 16 + lane_ / 4;
    KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      tops_[half] = minus_infinity();
      totals_[half] = 0;
    }
  }

  // Starts the scores of step `step` and the sums over the tile before, in stage `before`. Ends when the
  // scores are there. The sums go on.
  KERNEL_DEVICE void start_both(int step, int before, int parity_before) {
    const int entry = tiles_.entry(problem_, step);
    wait_for_keys(step);
    take_turn();
    start_scores(stage(step));
    ptx::mbarrier_wait(memory_.values_full(before), parity_before);
    start_sums(before);
    pass_turn(step);
    ptx::wgmma_wait<1>();
    take_scores(step, entry);
  }
  KERNEL_DEVICE void wait_for_keys(int step) const {
    if (step == 0) ptx::mbarrier_wait(memory_.queries_full(buffer()), block_ / Tiling::query_buffers % 2);
    ptx::mbarrier_wait(memory_.keys_full(stage(step)), parity(step));
  }
  KERNEL_DEVICE void take_scores(int step, int entry) {
    ptx::wgmma_pin(scores_);
    release(memory_.keys_empty(stage(step)));
    if constexpr (Tiling::is_queue)
      if (step + 1 == tiles_.count) release(memory_.queries_empty(buffer()));
    tiles_.mask(problem_, entry, first_query_, query_, scores_);
  }
  KERNEL_DEVICE void finish_sums(int before) {
    ptx::wgmma_wait<0>();
    ptx::wgmma_pin(sums_);
    ptx::wgmma_pin(weights_);
    release(memory_.values_empty(before));
  }

  // Where step `step` is in the ring, and how often (mod 2) the ring has been gone round.
  [[nodiscard]] KERNEL_DEVICE int stage(int step) const { return (done_ + step) % Tiling::stages; }
  [[nodiscard]] KERNEL_DEVICE int parity(int step) const { return (done_ + step) / Tiling::stages % 2; }
  [[nodiscard]] KERNEL_DEVICE int buffer() const { return block_ % Tiling::query_buffers; }

  // Turns at starting products: barrier 1 + consumer is where that one waits for the one before it.
  KERNEL_DEVICE void take_turn() const { ptx::named_barrier_sync(1 + consumer_, 256); }
  KERNEL_DEVICE void pass_turn() const {
    ptx::named_barrier_arrive(1 + (consumer_ + 1) % Tiling::consumers, 256);
  }
  // After the last step the first one takes no turn any more.
  KERNEL_DEVICE void pass_turn(int step) const {
    bool ends = step + 1 == tiles_.count;
    if constexpr (Tiling::is_queue) ends = ends && tiles_.is_last();
    if (!ends || consumer_ + 1 < Tiling::consumers) pass_turn();
  }

  // One arrival a warp.
  KERNEL_DEVICE void release(std::uint32_t barrier) const {
    if (lane_ == 0) ptx::mbarrier_arrive(barrier);
  }

  // scores_ = Q K^T, 16 columns of both at a time.
  KERNEL_DEVICE void start_scores(int stage) {
    constexpr int eight_rows = 1024;
    ptx::wgmma_pin(scores_);
    ptx::wgmma_fence();
    KERNEL_UNROLL
    for (int depth = 0; depth < Tiling::stored / 16; ++depth) {
      const int panel = depth / 4;
      const int within = depth % 4 * 32;  // bytes
      const std::uint64_t q = ptx::swizzled_descriptor(
          memory_.queries(buffer()) + panel * Tiling::query_panel_bytes + consumer_ * 64 * 128 + within, 16,
          eight_rows);
      const std::uint64_t k = ptx::swizzled_descriptor(
          memory_.keys(stage) + panel * Tiling::key_panel_bytes + within, 16, eight_rows);
      ptx::Wgmma<Element, Tiling::keys>::template shared<ptx::Major::k, ptx::Major::k>(scores_, q, k,
                                                                                       depth == 0 ? 0 : 1);
    }
    ptx::wgmma_commit();
  }

  // sums_ += P V, 16 keys at a time.
  KERNEL_DEVICE void start_sums(int stage) {
    constexpr int eight_rows = 1024;
    ptx::wgmma_pin(sums_);
    ptx::wgmma_pin(weights_);
    ptx::wgmma_fence();
    KERNEL_UNROLL
    for (int depth = 0; depth < depths; ++depth) {
      const std::uint64_t v = ptx::swizzled_descriptor(memory_.values(stage) + depth * 2 * eight_rows,
                                                       Tiling::key_panel_bytes, eight_rows);
      ptx::Wgmma<Element, Tiling::d>::template registers<ptx::Major::mn>(sums_, weights_[depth], v, 1);
    }
    ptx::wgmma_commit();
  }

  // Scores become weights; `factors` brings what was summed before to the new largest scores.
  KERNEL_DEVICE void weigh(float (&factors)[2]) {
    KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      float top = tops_[half];
      KERNEL_UNROLL
      for (int i = half * 2; i < scores; i += 4) top = fmaxf(top, fmaxf(scores_[i], scores_[i + 1]));
      top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 1));  // the row is in four lanes
      top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 2));
      // A row that has seen no key yet has weights 0, not those of infinity minus infinity.
      const float base = top == minus_infinity() ? 0.0F : top * problem_.scale2;
      factors[half] = ptx::exp2_approximate(tops_[half] * problem_.scale2 - base);
      tops_[half] = top;
      float total = totals_[half] * factors[half];
      KERNEL_UNROLL
      for (int i = half * 2; i < scores; i += 4) KERNEL_UNROLL
      for (int pair = 0; pair < 2; ++pair) {
        scores_[i + pair] = ptx::exp2_approximate(scores_[i + pair] * problem_.scale2 - base);
        total += scores_[i + pair];
      }
      totals_[half] = total;
    }
  }
  KERNEL_DEVICE void weigh() {
    float unused[2];  // nothing was summed before
    weigh(unused);
  }

  // Two 8-column results side by side are one fragment of A.
  KERNEL_DEVICE void pack_weights() {
    KERNEL_UNROLL
    for (int depth = 0; depth < depths; ++depth) KERNEL_UNROLL
    for (int i = 0; i < 4; ++i)
      weights_[depth][i] = Element::narrow(scores_[depth * 8 + i * 2], scores_[depth * 8 + i * 2 + 1]);
  }

  // The sum of a row's weights. The row is in four lanes.
  static KERNEL_DEVICE float total_of(const Rows& rows, int half) {
    float total = rows.totals[half];
    total += __shfl_xor_sync(0xFFFFFFFFU, total, 1);
    total += __shfl_xor_sync(0xFFFFFFFFU, total, 2);
    return total;
  }

  KERNEL_DEVICE void store(const Rows& of) {
    if constexpr (Tiling::is_queue)
      store_by_engine(of);
    else
      store_by_threads(of);
  }

  // A warp's 16 rows through shared memory, while the warp goes on. The engine leaves out rows past the end.
  KERNEL_DEVICE void store_by_engine(const Rows& of) {
    const float factors[2] = {1.0F / total_of(of, 0), 1.0F / total_of(of, 1)};
    const std::uint32_t to = memory_.results(consumer_ * 4 + static_cast<int>(threadIdx.x) % 128 / 32);
    wait_for_engine();
    __syncwarp();
    KERNEL_UNROLL
    for (int column = 0; column < Tiling::d / 8; column += 2) {
      std::uint32_t pairs[4];
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) {
        const float* const sum = sums_ + (column + i / 2) * 4 + i % 2 * 2;
        pairs[i] = Element::narrow(sum[0] * factors[i % 2], sum[1] * factors[i % 2]);
      }
      const int row = lane_ % 16, piece = column % 8 + lane_ / 16;  // swizzled as ptx::TensorLayout tells
      ptx::stmatrix_x4(to + column / 8 * Tiling::result_panel_bytes + row * 128 + (piece ^ row % 8) * 16,
                       pairs);
    }
    ptx::fence_proxy_async();
    __syncwarp();
    if (lane_ == 0) {
      KERNEL_UNROLL
      for (int panel = 0; panel < Tiling::panels; ++panel)
        ptx::tma_store_3d(results_, panel * wgmma_panel, of.query, of.matrix,
                          to + panel * Tiling::result_panel_bytes);
      ptx::tma_store_commit();
    }
  }
  // Until it has read the results before these.
  KERNEL_DEVICE void wait_for_engine() const {
    if (lane_ == 0) ptx::tma_store_wait<0>();
  }

  KERNEL_DEVICE void store_by_threads(const Rows& of) {
    KERNEL_UNROLL
    for (int half = 0; half < 2; ++half) {
      float total = total_of(of, half);
      const int query = of.query + half * 8;
      bool stores = query < problem_.sequence;
      // A problem may go on from what other keys gave before, and leave the end to later ones.
      if constexpr (carries) {
        stores = stores && carry(half, query, total);
        if (problem_.carry.last == 0) continue;
      }
      const float factor = Tiles::may_be_empty && total == 0 ? 0.0F : 1.0F / total;
      std::uint16_t* const row = problem_.o + (stores ? result_row(of.matrix, query) : 0) + lane_ % 4 * 8;
      KERNEL_UNROLL
      for (int column = 0; column < Tiling::stored / 8; column += 4) {
        std::uint32_t pairs[4];
        KERNEL_UNROLL
        for (int i = 0; i < 4; ++i) {
          const float* const sum = sums_ + (column + i) * 4 + half * 2;
          pairs[i] = Element::narrow(sum[0] * factor, sum[1] * factor);
        }
        exchange(pairs);
        if (stores) ptx::store_sixteen(row + column * 8, {pairs[0], pairs[1], pairs[2], pairs[3]});
      }
    }
  }

  // Four lanes have two neighbouring elements of each of four pieces of 16 bytes. Each gets a whole piece.
  KERNEL_DEVICE void exchange(std::uint32_t (&pairs)[4]) const {
    KERNEL_UNROLL
    for (int bit = 1; bit < 4; bit *= 2) {
      const bool high = (lane_ & bit) != 0;
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) {
        if ((i & bit) != 0) continue;
        const std::uint32_t got = __shfl_xor_sync(0xFFFFFFFFU, high ? pairs[i] : pairs[i + bit], bit);
        (high ? pairs[i] : pairs[i + bit]) = got;
      }
    }
  }

  // Adds what other keys gave the query before, by weights of the largest score of both, and keeps the sum
  // for later ones. True: there are none, so the result can be stored. Each lane has its own copy of the
  // row's scores.
  KERNEL_DEVICE bool carry(int half, int query, float& total) {
    const auto& state = problem_.carry;
    const std::int64_t row = static_cast<std::int64_t>(tiles_.matrix) * problem_.sequence + query;
    float* const sums = state.sums + row * Tiling::stored + lane_ % 4 * 2;
    float2* const kept = state.scores + row * 4 + lane_ % 4;
    float top = tops_[half] * problem_.scale2;
    if (state.first == 0) {
      const float2 before = *kept;
      const float both = fmaxf(top, before.x);
      const float mine = ptx::exp2_approximate(top - both), others = ptx::exp2_approximate(before.x - both);
      top = both;
      total = total * mine + before.y * others;
      KERNEL_UNROLL
      for (int column = 0; column < Tiling::stored / 8; ++column) {
        const float2 old = *reinterpret_cast<const float2*>(sums + column * 8);
        float* const sum = sums_ + column * 4 + half * 2;
        sum[0] = sum[0] * mine + old.x * others;
        sum[1] = sum[1] * mine + old.y * others;
      }
    }
    if (state.last != 0) return true;
    *kept = make_float2(top, total);
    KERNEL_UNROLL
    for (int column = 0; column < Tiling::stored / 8; ++column)
      *reinterpret_cast<float2*>(sums + column * 8) =
          make_float2(sums_[column * 4 + half * 2], sums_[column * 4 + half * 2 + 1]);
    return false;
  }

  // A problem may have a place of its own for results.
  [[nodiscard]] KERNEL_DEVICE std::int64_t result_row(int matrix, int query) const {
    if constexpr (requires { problem_.result_row(0, 0); })
      return problem_.result_row(matrix, query);
    else
      return matrix_start(problem_, matrix) + static_cast<std::int64_t>(query) * Tiling::stored;
  }

  const Problem& problem_;
  const WgmmaMemory<Tiling>& memory_;
  Tiles tiles_;
  const ptx::TensorMap* results_;
  int consumer_;
  int lane_;
  int block_ = 0;  // blocks of queries before this one, and their tiles
  int done_ = 0;
  int first_query_ = 0;  // the warpgroup's
  int query_ = 0;        // of this thread's first row
  float scores_[scores] = {};
  std::uint32_t weights_[depths][4] = {};
  float sums_[Tiling::d / 2] = {};
  float tops_[2] = {};    // unscaled
  float totals_[2] = {};  // of this lane's keys
};

// The body of a kernel. The maps describe Q with boxes of 64 x queries, and K and V with boxes of 64 x keys.
// A queue has one of O, with boxes of 64 x result_rows.
template <class Tiles, class Element>
KERNEL_DEVICE void wgmma_attention(const typename Tiles::Problem& problem, const ptx::TensorMap* q,
                                   const ptx::TensorMap* k, const ptx::TensorMap* v,
                                   const ptx::TensorMap* o = nullptr) {
  using Tiling = typename Tiles::Tiling;
  KERNEL_DYNAMIC_SHARED(bytes, 1024);
  const WgmmaMemory<Tiling> memory{ptx::shared_address(bytes)};
  if (threadIdx.x == 0) {
    ptx::prefetch_tensor_map(q);
    ptx::prefetch_tensor_map(k);
    ptx::prefetch_tensor_map(v);
    for (int buffer = 0; buffer < Tiling::query_buffers; ++buffer) {
      ptx::mbarrier_init(memory.queries_full(buffer), 1);
      ptx::mbarrier_init(memory.queries_empty(buffer), 4 * Tiling::consumers);
    }
    for (int stage = 0; stage < Tiling::stages; ++stage) {
      ptx::mbarrier_init(memory.keys_full(stage), 1);
      ptx::mbarrier_init(memory.values_full(stage), 1);
      ptx::mbarrier_init(memory.keys_empty(stage), 4 * Tiling::consumers);
      ptx::mbarrier_init(memory.values_empty(stage), 4 * Tiling::consumers);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  const Tiles tiles(problem);
  const int group = static_cast<int>(threadIdx.x) / 128;
  if (group == 0) {
    ptx::give_registers<Tiling::producer_registers>();
    if (threadIdx.x == 0 && (!Tiles::may_be_empty || tiles.count > 0))
      produce(problem, memory, tiles, q, k, v);
  } else {
    ptx::take_registers<Tiling::consumer_registers>();
    WgmmaConsumer<Tiles, Element>(problem, memory, tiles, o, group - 1).run();
  }
}

// Grid: queries / Tiling::queries, matrices.
template <class Tiling, class Element>
__global__ void __launch_bounds__(Tiling::threads, 1)
    wgmma_kernel(const __grid_constant__ Arguments problem, const __grid_constant__ ptx::TensorMap q,
                 const __grid_constant__ ptx::TensorMap k, const __grid_constant__ ptx::TensorMap v) {
  if constexpr (KERNEL_HAS_WGMMA) wgmma_attention<WgmmaTiles<Tiling>, Element>(problem, &q, &k, &v);
}

// Grid: at most a block a multiprocessor. Each takes blocks of queries one after another. Their first keys
// are on the way while the last results are finished and stored.
template <class Tiling, class Element>
__global__ void __launch_bounds__(Tiling::threads, 1)
    wgmma_queue_kernel(const __grid_constant__ QueuedArguments problem,
                       const __grid_constant__ ptx::TensorMap q, const __grid_constant__ ptx::TensorMap k,
                       const __grid_constant__ ptx::TensorMap v, const __grid_constant__ ptx::TensorMap o) {
  if constexpr (KERNEL_HAS_WGMMA) wgmma_attention<WgmmaQueue<Tiling>, Element>(problem, &q, &k, &v, &o);
}

}  // namespace attention
