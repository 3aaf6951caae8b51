// The workload convergence: parameters, inputs, metrics and the float64 oracle of a call's first steps.
#include <stdexcept>
#include <vector>

#include "harness/sdk/in_parts.h"
#include "kernels/training/convergence/convergence.h"
#include "kernels/training/replicas.h"

namespace training {
namespace {

using harness::sdk::Better;
using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::MetricSpec;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;
using harness::sdk::Value;

class Convergence final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "convergence"; }
  [[nodiscard]] std::string_view summary() const override {
    return "training a character model: a call is its first steps, the losses are of a whole training";
  }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    const auto number = [](const char* name, const char* summary, std::int64_t fallback) {
      return ParamSpec{name, ParamKind::integer, summary, {}, {Value{fallback}}, 1};
    };
    return {number("d", "width of the model", 256),
            number("heads", "heads of attention; divides d", 4),
            number("layers", "layers", 4),
            number("s", "characters of a sequence", 128),
            number("batch", "sequences", 32),
            number("steps", "steps of a call", 2),
            number("train_steps", "steps of the training whose losses are told", 10000)};
  }
  [[nodiscard]] std::vector<MetricSpec> metrics() const override {
    return {{"loss_tenth", "nats", Better::lower, "mean training loss after a tenth of the steps"},
            {"loss_half", "nats", Better::lower, "mean training loss after half of the steps"},
            {"loss_end", "nats", Better::lower, "mean training loss after all steps"},
            {"held_out_loss", "nats", Better::lower, "loss on text that was never trained on"},
            {"training_time", "s", Better::lower, "of the whole training, by the host's clock", true}};
  }
  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;

 private:
  struct FirstSteps {
    std::vector<double> first, trained, losses;
    std::vector<std::int32_t> tokens;
  };
  mutable FirstSteps last_steps_;  // outputs are asked for one by one
};

Problem Convergence::problem(const Params& params) const {
  const Course course = course_of(params);
  const ModelShape& shape = course.shape;
  if (shape.d % shape.heads != 0) throw harness::sdk::Unsupported("d must be a multiple of heads");
  if (course.steps > course.train_steps) throw harness::sdk::Unsupported("steps must be at most train_steps");
  if (shape.sequence + 1 > std::ssize(text) - training_characters())
    throw harness::sdk::Unsupported("a sequence must fit into the tenth of the text that is held out");
  const std::int64_t n = Layout(shape).size();
  Problem problem;
  problem.tensors = {{"text", Role::input, DType::i8, {std::ssize(text)}},
                     {"starts", Role::input, DType::i32, {course.train_steps, course.batch}},
                     {"held_out", Role::input, DType::i32, {course.batch}},
                     {"first", Role::input, DType::f32, {n}},
                     {"losses", Role::output, DType::f32, {course.steps}},
                     {"trained", Role::output, DType::f32, {n}}};
  problem.work.flops = static_cast<double>(course.steps) * step_flops(shape, course.batch);
  problem.work.items = static_cast<double>(course.steps * course.batch * shape.sequence);
  problem.work.item_name = "characters";
  problem.tolerance = {1e-4};
  return problem;
}

void Convergence::fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const {
  const Course course = course_of(params);
  fill_course(course.shape, course.batch, course.train_steps, course.batch, seed, inputs);
}

void Convergence::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                            std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output > 1) throw std::out_of_range("convergence has outputs 0 and 1");
  const Course course = course_of(params);
  const std::int64_t s = course.shape.sequence, n = Layout(course.shape).size();
  FirstSteps next;
  for (std::int64_t i = 0; i < n; ++i) next.first.push_back(inputs[first_index].at(i));
  for (std::int64_t i = 0; i < course.steps * course.batch; ++i)
    for (std::int64_t c = 0; c <= s; ++c)
      next.tokens.push_back(static_cast<std::int32_t>(
          inputs[text_index].at(static_cast<std::int64_t>(inputs[starts_index].at(i)) + c)));
  if (next.first != last_steps_.first || next.tokens != last_steps_.tokens) {
    next.trained = next.first;
    const std::size_t size = next.first.size();
    std::vector<double> gradient(size), mean(size), variance(size);
    CpuModel<double> model(course.shape, course.batch, Numbers::exact, harness::sdk::preparing_threads());
    const auto of_step = static_cast<std::size_t>(course.batch * (s + 1));
    for (std::int64_t step = 0; step < course.steps; ++step) {
      const std::span tokens =
          std::span(next.tokens).subspan(static_cast<std::size_t>(step) * of_step, of_step);
      next.losses.push_back(model.gradient(next.trained, {.size = course.batch, .tokens = tokens}, gradient));
      const StepFactors factors = step_factors(character_optimizer, static_cast<int>(step));
      for (std::size_t i = 0; i < size; ++i)
        update_weight(character_optimizer, factors, gradient[i], next.trained[i], mean[i], variance[i]);
    }
    last_steps_ = std::move(next);
  }
  const std::vector<double>& right = output == 0 ? last_steps_.losses : last_steps_.trained;
  for (std::size_t e = 0; e < wanted.size(); ++e) expected[e] = right[static_cast<std::size_t>(wanted[e])];
}

}  // namespace

void fill_course(const ModelShape& shape, std::int64_t batch, std::int64_t train_steps, std::int64_t held_out,
                 std::uint64_t seed, std::span<HostTensor> inputs) {
  for (std::size_t i = 0; i < text.size(); ++i)
    inputs[text_index].set(static_cast<std::int64_t>(i), symbol_of(text[i]));
  const auto copy = [&](const auto& from, HostTensor& to) {
    for (std::size_t i = 0; i < from.size(); ++i)
      to.set(static_cast<std::int64_t>(i), static_cast<double>(from[i]));
  };
  copy(training_starts(shape.sequence, batch, train_steps, seed), inputs[starts_index]);
  copy(held_out_starts(shape.sequence, held_out), inputs[held_out_index]);
  copy(first_weights(shape, seed), inputs[first_index]);
}

}  // namespace training

HARNESS_WORKLOAD(convergence, training::Convergence)
