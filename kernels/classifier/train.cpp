#include "kernels/classifier/train.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "kernels/quantise.h"

namespace classifier {
namespace {

using harness::sdk::DType;

constexpr std::int64_t batch = 40;  // divides the training pictures
static_assert(train_pictures % batch == 0);

struct Schedule {
  int epochs;
  float rate;
};
constexpr Schedule first_training{30, 2e-3F};
constexpr Schedule further_training{10, 3e-4F};

// Adam (Kingma and Ba, 2015) with its usual constants.
class Adam {
 public:
  explicit Adam(std::size_t size) : mean_(size), square_(size) {}

  void step(std::vector<float>& values, const std::vector<float>& gradient, float rate) {
    constexpr float keep_mean = 0.9F, keep_square = 0.999F, least = 1e-8F;
    mean_power_ *= keep_mean;
    square_power_ *= keep_square;
    for (std::size_t i = 0; i < values.size(); ++i) {
      mean_[i] = keep_mean * mean_[i] + (1 - keep_mean) * gradient[i];
      square_[i] = keep_square * square_[i] + (1 - keep_square) * gradient[i] * gradient[i];
      const float mean = mean_[i] / (1 - mean_power_), square = square_[i] / (1 - square_power_);
      values[i] -= rate * mean / (std::sqrt(square) + least);
    }
  }

 private:
  std::vector<float> mean_, square_;
  float mean_power_ = 1, square_power_ = 1;
};

double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

// Fisher and Yates; the standard library's own may differ from machine to machine.
void shuffle(std::vector<std::int64_t>& order, std::mt19937_64& random) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
}

float rounded_activation(float value, float largest) {
  const float scale = kernels::scale_for(largest, DType::i8);
  return kernels::rounded_code(value, scale, DType::i8) * scale;
}

// out = in W + b.
void affine(const float* in, std::int64_t inputs, const float* weights, const float* bias,
            std::int64_t outputs, float* out) {
  std::copy_n(bias, outputs, out);
  for (std::int64_t i = 0; i < inputs; ++i)
    for (std::int64_t o = 0; o < outputs; ++o) out[o] += in[i] * weights[i * outputs + o];
}

class Training {
 public:
  Training(std::int64_t hidden, std::uint64_t seed, Rounding rounding)
      : layout_{hidden},
        rounding_(rounding),
        random_(seed),
        gradient_(size(layout_.size())),
        seen_(size(layout_.size())),
        x_(size(pixels)),
        hidden_(size(hidden)),
        entering_(size(hidden)),
        back_(size(hidden)),
        adam_(size(layout_.size())) {}

  Network run(Network network, const Schedule& schedule) {
    std::vector<std::int64_t> order(size(train_pictures));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    for (int epoch = 0; epoch < schedule.epochs; ++epoch) {
      shuffle(order, random_);
      for (std::int64_t first = 0; first < train_pictures; first += batch)
        step(network, order, first, schedule);
    }
    measure_ranges(network);
    return network;
  }

  // He's uniform initialisation.
  Network begin() {
    Network network;
    network.values.resize(size(layout_.size()));
    const auto draw = [&](std::int64_t at, std::int64_t count, std::int64_t inputs) {
      const double reach = std::sqrt(6.0 / static_cast<double>(inputs));
      for (std::int64_t i = 0; i < count; ++i)
        network.values[size(at + i)] = static_cast<float>((2 * uniform(random_) - 1) * reach);
    };
    draw(layout_.w1(), pixels * layout_.hidden, pixels);
    draw(layout_.w2(), layout_.hidden * classes, layout_.hidden);
    return network;
  }

 private:
  static std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

  void step(Network& network, const std::vector<std::int64_t>& order, std::int64_t first,
            const Schedule& schedule) {
    see(network);
    std::fill(gradient_.begin(), gradient_.end(), 0.0F);
    for (std::int64_t i = 0; i < batch; ++i) add_gradient(network, order[size(first + i)]);
    for (float& one : gradient_) one /= static_cast<float>(batch);
    adam_.step(network.values, gradient_, schedule.rate);
  }

  // The weights that a step sees.
  void see(const Network& network) {
    seen_ = network.values;
    if (rounding_ == Rounding::none) return;
    const float* const values = network.values.data();
    const auto round = [&](std::int64_t at, std::int64_t inputs, std::int64_t outputs) {
      round_weights(values + at, inputs, outputs, rounding_ == Rounding::int4 ? group : inputs, rounding_,
                    seen_.data() + at);
    };
    round(layout_.w1(), pixels, layout_.hidden);
    round(layout_.w2(), layout_.hidden, classes);
  }

  void forward(const Network& network, std::int64_t picture) {
    const bool rounds = rounding_ == Rounding::int8;
    for (std::int64_t i = 0; i < pixels; ++i) {
      x_[size(i)] = pixel_of(picture, i);
      if (rounds) x_[size(i)] = rounded_activation(x_[size(i)], network.largest[0]);
    }
    affine(x_.data(), pixels, seen_.data() + layout_.w1(), seen_.data() + layout_.b1(), layout_.hidden,
           hidden_.data());
    for (std::int64_t h = 0; h < layout_.hidden; ++h) {
      hidden_[size(h)] = std::max(hidden_[size(h)], 0.0F);
      entering_[size(h)] =
          rounds ? rounded_activation(hidden_[size(h)], network.largest[1]) : hidden_[size(h)];
    }
    affine(entering_.data(), layout_.hidden, seen_.data() + layout_.w2(), seen_.data() + layout_.b2(),
           classes, logits_.data());
  }

  // Adds the gradient of the cross entropy, by the softmax's probabilities.
  void add_gradient(const Network& network, std::int64_t picture) {
    forward(network, picture);
    const float largest = *std::max_element(logits_.begin(), logits_.end());
    float sum = 0;
    for (float& one : logits_) sum += one = std::exp(one - largest);
    for (float& one : logits_) one /= sum;
    logits_[size(digit_of(picture))] -= 1;
    float* const gradient = gradient_.data();
    for (std::int64_t h = 0; h < layout_.hidden; ++h) {
      float back = 0;
      for (std::int64_t c = 0; c < classes; ++c) {
        gradient[layout_.w2() + h * classes + c] += entering_[size(h)] * logits_[size(c)];
        back += seen_[size(layout_.w2() + h * classes + c)] * logits_[size(c)];
      }
      back_[size(h)] = hidden_[size(h)] > 0 ? back : 0;
      gradient[layout_.b1() + h] += back_[size(h)];
    }
    for (std::int64_t c = 0; c < classes; ++c) gradient[layout_.b2() + c] += logits_[size(c)];
    for (std::int64_t i = 0; i < pixels; ++i)
      for (std::int64_t h = 0; h < layout_.hidden; ++h)
        gradient[layout_.w1() + i * layout_.hidden + h] += x_[size(i)] * back_[size(h)];
  }

  // Calibrates by all training pictures.
  void measure_ranges(Network& network) {
    see(network);
    std::array<float, ranges> largest{};
    for (std::int64_t picture = 0; picture < train_pictures; ++picture) {
      forward(network, picture);
      largest[0] = 1;  // pixels reach it
      for (const float one : hidden_) largest[1] = std::max(largest[1], one);
    }
    network.largest = largest;
  }

  Layout layout_;
  Rounding rounding_;
  std::mt19937_64 random_;
  std::vector<float> gradient_, seen_;
  std::vector<float> x_, hidden_, entering_, back_;
  std::array<float, static_cast<std::size_t>(classes)> logits_{};
  Adam adam_;
};

}  // namespace

void round_weights(const float* weights, std::int64_t inputs, std::int64_t outputs, std::int64_t in_group,
                   Rounding rounding, float* rounded) {
  const DType type = rounding == Rounding::int4 ? DType::i4 : DType::i8;
  for (std::int64_t o = 0; o < outputs; ++o)
    for (std::int64_t first = 0; first < inputs; first += in_group) {
      const std::int64_t count = std::min(in_group, inputs - first);
      const float* const from = weights + first * outputs + o;
      const float scale = kernels::scale_for(kernels::largest_magnitude(from, count, outputs), type);
      for (std::int64_t i = 0; i < count; ++i)
        rounded[(first + i) * outputs + o] = kernels::rounded_code(from[i * outputs], scale, type) * scale;
    }
}

Network train(std::int64_t hidden, std::uint64_t seed) {
  Training training(hidden, seed, Rounding::none);
  return training.run(training.begin(), first_training);
}

Network train_on(std::int64_t hidden, std::uint64_t seed, const Network& start, Rounding rounding) {
  return Training(hidden, seed, rounding).run(start, further_training);
}

}  // namespace classifier
