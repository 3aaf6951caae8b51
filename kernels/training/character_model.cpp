#include "kernels/training/character_model.h"

#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

#include "kernels/training/text.h"

namespace training {
namespace {

constexpr const char* file_mark = "harness-character-model-1";

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

void save(const CharacterModel& model, const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::binary);
  const ModelShape& shape = model.shape;
  out << file_mark << ' ' << shape.d << ' ' << shape.heads << ' ' << shape.layers << ' ' << shape.sequence
      << ' ' << shape.vocabulary << '\n';
  out.write(reinterpret_cast<const char*>(model.weights.data()),
            static_cast<std::streamsize>(model.weights.size() * sizeof(float)));
  out.flush();
  if (!out) throw std::runtime_error(file.string() + ": cannot be written");
}

CharacterModel load(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file.string() + ": cannot be read");
  std::string line, mark;
  std::getline(in, line);
  std::istringstream words(line);
  CharacterModel model;
  ModelShape& shape = model.shape;
  words >> mark >> shape.d >> shape.heads >> shape.layers >> shape.sequence >> shape.vocabulary;
  const auto sane = [](std::int64_t value) { return value >= 1 && value <= 1 << 16; };
  if (!words || mark != file_mark || !sane(shape.d) || !sane(shape.heads) || shape.d % shape.heads != 0 ||
      !sane(shape.layers) || !sane(shape.sequence) || shape.vocabulary != symbols)
    throw std::runtime_error(file.string() + ": line 1 is not that of a character model (" + file_mark +
                             " d heads layers sequence 96)");
  const auto size = static_cast<std::uintmax_t>(Layout(shape).size()) * sizeof(float);
  const std::uintmax_t wanted = line.size() + 1 + size;
  if (const std::uintmax_t has = std::filesystem::file_size(file); has != wanted)
    throw std::runtime_error(file.string() + ": has " + std::to_string(has) +
                             " bytes, and its first line tells of " + std::to_string(wanted));
  model.weights.resize(static_cast<std::size_t>(Layout(shape).size()));
  in.read(reinterpret_cast<char*>(model.weights.data()), static_cast<std::streamsize>(size));
  if (!in) throw std::runtime_error(file.string() + ": cannot be read to its end");
  return model;
}

}  // namespace training
