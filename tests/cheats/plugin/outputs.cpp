#include "tests/cheats/plugin/cheats.h"

namespace cheats {
namespace {

// -1 for each x below 2: the right integers are what the harness writes before the first check.
class Below : public sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "below"; }
  [[nodiscard]] std::string_view summary() const override { return "y = x < 2 ? -1 : 0"; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override {
    return {{"n", sdk::ParamKind::integer, "elements", {}, {}, 1}};
  }
  [[nodiscard]] sdk::Problem problem(const sdk::Params& params) const override {
    const std::int64_t n = params.integer("n");
    return {{{"x", sdk::Role::input, sdk::DType::f32, {n}}, {"y", sdk::Role::output, sdk::DType::i32, {n}}},
            {},
            {0}};
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor> inputs, std::size_t,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    for (std::size_t i = 0; i < wanted.size(); ++i) expected[i] = inputs[0].at(wanted[i]) < 2 ? -1 : 0;
  }
};

class Nothing : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {}
};

class Part : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    for (std::int64_t i = 0; i < n_ / 8 * 7; ++i) y_[i] = 2 * x_[i] + 1;
  }
};

class Constant : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override { std::fill(y_, y_ + n_, 1.0F); }
};

// A comparison that asks for a large difference lets NaN pass.
class NotANumber : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override { std::fill(y_, y_ + n_, -std::nanf("1")); }
};

// A reference that is computed later, on the inputs as the kernel leaves them, agrees.
class ZeroedInputs : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    std::fill(x_, x_ + n_, 0.0F);
    std::fill(y_, y_ + n_, 1.0F);
  }
};

class CopiedInputs : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override { std::copy(x_, x_ + n_, y_); }
};

sdk::Variant of_below(sdk::Variant variant) {
  variant.workload = "below";
  return variant;
}

}  // namespace

void add_cheats_of_outputs(sdk::Registry& registry) {
  registry.add(std::make_unique<Below>());
  registry.add(of_below(trial::variant<Nothing>("unwritten_integers")));
  registry.add(trial::variant<Nothing>("nothing"));
  registry.add(trial::variant<Part>("part"));
  registry.add(trial::variant<Constant>("constant"));
  registry.add(trial::variant<NotANumber>("not_a_number"));
  registry.add(trial::variant<ZeroedInputs>("zeroed_inputs"));
  registry.add(trial::variant<CopiedInputs>("copied_inputs"));
}

}  // namespace cheats
