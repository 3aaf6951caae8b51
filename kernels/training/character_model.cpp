#include "kernels/training/character_model.h"

#include <random>
#include <stdexcept>

#include "kernels/training/text.h"

namespace training {
namespace {

std::int64_t last_start(std::int64_t end, std::int64_t sequence) {
  const std::int64_t last = end - sequence - 1;
  if (last < 0) throw std::invalid_argument("a sequence is longer than the text");
  return last;
}

}  // namespace

std::vector<std::int32_t> training_starts(std::int64_t sequence, std::int64_t batch, std::int64_t steps,
                                          std::uint64_t seed) {
  const auto places = static_cast<std::uint64_t>(last_start(training_characters(), sequence) + 1);
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> starts(static_cast<std::size_t>(batch * steps));
  for (std::int32_t& start : starts) start = static_cast<std::int32_t>(random() % places);
  return starts;
}

std::vector<std::int32_t> held_out_starts(std::int64_t sequence, std::int64_t batch) {
  const std::int64_t first = training_characters(), last = last_start(std::ssize(text), sequence);
  if (last < first) throw std::invalid_argument("a sequence is longer than the text that is held out");
  std::vector<std::int32_t> starts;
  for (std::int64_t i = 0; i < batch; ++i)
    starts.push_back(
        static_cast<std::int32_t>(first + (last - first) * i / std::max<std::int64_t>(batch, 1)));
  return starts;
}

std::vector<std::int32_t> tokens_at(std::span<const std::int32_t> starts, std::int64_t sequence) {
  std::vector<std::int32_t> tokens;
  tokens.reserve(starts.size() * static_cast<std::size_t>(sequence + 1));
  for (const std::int32_t start : starts)
    for (std::int64_t i = 0; i <= sequence; ++i)
      tokens.push_back(symbol_of(text.at(static_cast<std::size_t>(start + i))));
  return tokens;
}

std::vector<float> train(CharacterModel& model, std::span<const std::int32_t> starts, std::int64_t batch,
                         Numbers numbers, const GradientHook& hook, const AttentionMask& mask) {
  CpuModel<float> layers(model.shape, batch, numbers);
  layers.restrict_attention(mask);
  const std::size_t size = model.weights.size();
  std::vector<float> gradient(size), mean(size), variance(size), losses;
  const auto in_step = static_cast<std::size_t>(batch);
  for (std::size_t first = 0; first + in_step <= starts.size(); first += in_step) {
    const std::vector<std::int32_t> tokens = tokens_at(starts.subspan(first, in_step), model.shape.sequence);
    losses.push_back(layers.gradient(model.weights, {.size = batch, .tokens = tokens}, gradient));
    if (hook) hook(gradient);
    const StepFactors factors = step_factors(character_optimizer, static_cast<int>(losses.size()) - 1);
    for (std::size_t i = 0; i < size; ++i)
      update_weight(character_optimizer, factors, gradient[i], model.weights[i], mean[i], variance[i]);
  }
  return losses;
}

double loss_at(const CharacterModel& model, std::span<const std::int32_t> starts,
               const Attention<float>& attention, Numbers numbers) {
  const std::int64_t batch = std::ssize(starts);
  CpuModel<float> layers(model.shape, batch, numbers);
  const std::vector<std::int32_t> tokens = tokens_at(starts, model.shape.sequence);
  return static_cast<double>(layers.loss(model.weights, {.size = batch, .tokens = tokens}, attention));
}

}  // namespace training
