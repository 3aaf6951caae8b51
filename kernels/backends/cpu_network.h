// ThreadsNetwork: the networks on the CPU's threads, as a variant of each workload. The operations after a
// product are done on its tiles while they are in the cache.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/attention/cpu_online.h"
#include "kernels/backends/oracle.h"
#include "kernels/block/cpu_block.h"
#include "kernels/cpu/blocked_product.h"

namespace backends {

class ThreadsNetwork : public harness::sdk::Kernel {
 public:
  ThreadsNetwork(Network network, const harness::sdk::Params& params,
                 const harness::sdk::DeviceTraits& traits)
      : shape_(shape_of(network, params)), threads_(kernels::usable_threads(traits.multiprocessors)) {
    const Value x = make(shape_.elements());
    if (network == Network::conv) {
      y_ = turned(forward(shape_, *this, turned(x, false)), true);
    } else {
      y_ = forward(shape_, *this, x);
    }
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    places_.clear();
    for (std::vector<std::byte>& one : values_) places_.push_back(one.data());
    places_.front() = buffers.as<std::byte>(x_index);
    places_[y_] = buffers.as<std::byte>(y_index);
  }
  void run(harness::sdk::Stream) override {
    for (const std::function<void()>& step : steps_) step();
  }

  // The operations, which add steps: see forward().
  using Value = std::size_t;  // number of a tensor of rows

  Value product(Value x, std::size_t weight, After after, Value added) {
    const WeightShape of = weight_shapes(shape_)[weight];
    const Value y = make(shape_.rows() * of.columns);
    const auto w = stored(weight_values(shape_, weight));
    kernels::BlockedProduct& product = product_of(of.columns, of.rows);
    steps_.emplace_back([=, this, &product, n = of.columns] {
      product.run(places_[x], w->data(), [&](const kernels::Tile& tile) {
        float other[kernels::BlockedProduct::tile_columns];
        for (std::int64_t r = 0; r < tile.rows; ++r) {
          float* const sums = tile.sums + r * tile.stride;
          const std::int64_t at = (tile.row + r) * n + tile.column;
          if (after == After::relu) rectify(sums, tile.columns);
          if (after == After::add) {
            kernels::widen(isa(), shape_.dtype, places_[added], at, tile.columns, other);
            isa().add(other, sums, tile.columns);
          }
          kernels::narrow(isa(), shape_.dtype, sums, tile.columns, places_[y], at);
        }
      });
    });
    return y;
  }

  // x has pictures whose channels are last. A convolution is their neighbourhoods and a product.
  Value convolution(Value x, std::size_t weight) {
    const std::int64_t channels = shape_.width;
    const Value near = make(shape_.rows() * 9 * channels), y = make(shape_.elements());
    const auto w = stored(product_weight(weight_values(shape_, weight), channels));
    kernels::BlockedProduct& product = product_of(channels, 9 * channels);
    const std::size_t bytes = static_cast<std::size_t>(channels) * harness::sdk::size_of(shape_.dtype);
    steps_.emplace_back([=, this, &product] {
      product.pool().for_each(shape_.rows(), [&](std::int64_t row, int) {
        for (std::int64_t tap = 0; tap < 9; ++tap) {
          std::byte* const to = places_[near] + static_cast<std::size_t>(row * 9 + tap) * bytes;
          const std::int64_t from = neighbour(row, tap, shape_.size);
          if (from < 0)
            std::memset(to, 0, bytes);
          else
            std::memcpy(to, places_[x] + static_cast<std::size_t>(from) * bytes, bytes);
        }
      });
      product.run(places_[near], w->data(), [&](const kernels::Tile& tile) {
        for (std::int64_t r = 0; r < tile.rows; ++r) {
          float* const sums = tile.sums + r * tile.stride;
          rectify(sums, tile.columns);
          kernels::narrow(isa(), shape_.dtype, sums, tile.columns, places_[y],
                          (tile.row + r) * channels + tile.column);
        }
      });
    });
    return y;
  }

  Value attention(Value x, std::size_t query) {
    Value apart[4];  // queries, keys, values and the result, each (batch, heads, length, head)
    for (std::size_t i = 0; i < 3; ++i)
      apart[i] = moved(product(x, query + i, After::nothing, {}), shape_.length, shape_.heads);
    apart[3] = make(shape_.elements());
    const auto attention = std::make_shared<attention::OnlineThreads<transformer_block::WholeMask>>(
        attention::OnlineExtents{shape_.dtype, shape_.batch * shape_.heads, shape_.length, shape_.head()},
        threads_, transformer_block::WholeMask{});
    steps_.emplace_back([=, this] {
      void* const tensors[] = {places_[apart[0]], places_[apart[1]], places_[apart[2]], places_[apart[3]]};
      attention->bind({tensors, nullptr});
      attention->run();
    });
    return moved(apart[3], shape_.heads, shape_.length);
  }

  Value normalise(Value x) {
    const Value y = make(shape_.elements());
    const std::int64_t d = shape_.width;
    kernels::Pool& pool = product_of(d, d).pool();
    const auto rows = std::make_shared<std::vector<float>>(static_cast<std::size_t>(pool.threads() * d));
    steps_.emplace_back([=, this, &pool] {
      pool.for_each(shape_.rows(), [&](std::int64_t at, int worker) {
        float* const row = rows->data() + worker * d;
        kernels::widen(isa(), shape_.dtype, places_[x], at * d, d, row);
        float sum = 0, squares = 0;
        for (std::int64_t c = 0; c < d; ++c) sum += row[c];
        const float mean = sum / static_cast<float>(d);
        for (std::int64_t c = 0; c < d; ++c) squares += (row[c] - mean) * (row[c] - mean);
        const float factor = 1.0F / std::sqrt(squares / static_cast<float>(d) + static_cast<float>(epsilon));
        for (std::int64_t c = 0; c < d; ++c) row[c] = (row[c] - mean) * factor;
        kernels::narrow(isa(), shape_.dtype, row, d, places_[y], at * d);
      });
    });
    return y;
  }

 private:
  using Bytes = std::vector<std::byte>;

  static const kernels::Isa& isa() { return kernels::best_isa(); }
  static void rectify(float* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) values[i] = std::max(values[i], 0.0F);
  }

  Value make(std::int64_t elements) {
    values_.emplace_back(harness::sdk::bytes_of(shape_.dtype, elements));
    return values_.size() - 1;
  }
  // In the case's type.
  [[nodiscard]] std::shared_ptr<Bytes> stored(const std::vector<std::uint16_t>& weight) const {
    const auto count = static_cast<std::int64_t>(weight.size());
    auto bytes = std::make_shared<Bytes>(harness::sdk::bytes_of(shape_.dtype, count));
    for (std::int64_t i = 0; i < count; ++i)
      harness::sdk::store(bytes->data(), shape_.dtype, i,
                          harness::sdk::float_from_f16(weight[static_cast<std::size_t>(i)]));
    return bytes;
  }
  // A product of rows() x k by k x n. Layers of one size share it, and its threads.
  kernels::BlockedProduct& product_of(std::int64_t n, std::int64_t k) {
    auto& product = products_[{n, k}];
    if (!product)
      product = std::make_unique<kernels::BlockedProduct>(
          kernels::ProductShape{shape_.dtype, shape_.rows(), n, k}, threads_);
    return *product;
  }

  // (batch, outer, inner, head) as (batch, inner, outer, head).
  Value moved(Value x, std::int64_t outer, std::int64_t inner) {
    return permuted(x, {outer, inner, shape_.head()});
  }
  // Pictures (channels, points) as (points, channels), or `back`.
  Value turned(Value x, bool back) {
    return back ? permuted(x, {shape_.points(), shape_.width, 1})
                : permuted(x, {shape_.width, shape_.points(), 1});
  }
  struct Parts {
    std::int64_t outer;
    std::int64_t inner;
    std::int64_t together;
  };
  Value permuted(Value x, const Parts& of) {
    const Value y = make(shape_.elements());
    kernels::Pool& pool = product_of(shape_.width, shape_.width).pool();
    const std::size_t bytes = static_cast<std::size_t>(of.together) * harness::sdk::size_of(shape_.dtype);
    steps_.emplace_back([=, this, &pool] {
      pool.for_each(shape_.batch * of.outer, [&](std::int64_t at, int) {
        for (std::int64_t i = 0; i < of.inner; ++i) {
          const std::int64_t to = (at / of.outer * of.inner + i) * of.outer + at % of.outer;
          std::memcpy(places_[y] + static_cast<std::size_t>(to) * bytes,
                      places_[x] + static_cast<std::size_t>(at * of.inner + i) * bytes, bytes);
        }
      });
    });
    return y;
  }

  Shape shape_;
  int threads_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::unique_ptr<kernels::BlockedProduct>> products_;
  std::vector<std::function<void()>> steps_;
  std::vector<Bytes> values_;
  std::vector<std::byte*> places_;  // of the values
  Value y_ = 0;
};

template <Network network>
class Threads final : public ThreadsNetwork {
 public:
  Threads(const harness::sdk::Params& params, const harness::sdk::Problem&,
          const harness::sdk::DeviceTraits& traits)
      : ThreadsNetwork(network, params, traits) {}
};

}  // namespace backends
