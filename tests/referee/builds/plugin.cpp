// A build of the workload y = 2x + 1, in the way that the name of its file tells: `crashes.so` crashes. So
// one module is any build of a test.
#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "harness/sdk/registry.h"

namespace {

namespace sdk = harness::sdk;

std::string way() {
  Dl_info here{};
  dladdr(reinterpret_cast<const void*>(&way), &here);
  return std::filesystem::path(here.dli_fname).stem().string();
}

class Line final : public sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "line"; }
  [[nodiscard]] std::string_view summary() const override { return "y = 2x + 1"; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override {
    return {{"n", sdk::ParamKind::integer, "elements", {}, {}, 1}};
  }
  [[nodiscard]] sdk::Problem problem(const sdk::Params& params) const override {
    const std::int64_t n = params.integer("n");
    const std::vector<std::int64_t> shape{n}, other{n + (way() == "other_tensors" ? 1 : 0)};
    return sdk::Problem{
        {{"x", sdk::Role::input, sdk::DType::f32, shape}, {"y", sdk::Role::output, sdk::DType::f32, other}},
        sdk::Work{static_cast<double>(2 * n), static_cast<double>(8 * n)},
        sdk::Tolerance{1e-6}};
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor> inputs, std::size_t,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    for (std::size_t i = 0; i < wanted.size(); ++i) expected[i] = 2 * inputs[0].at(wanted[i]) + 1;
  }
};

// Shared by the kernels of all sets, as a cheat would.
struct Shared {
  int calls = 0;
  std::map<const float*, std::vector<float>> by_address;
};
Shared& shared() {
  static Shared all;
  return all;
}

class Work final : public sdk::Kernel {
 public:
  Work(const sdk::Params& params, const sdk::Problem&, const sdk::DeviceTraits&)
      : way_(way()), n_(static_cast<std::size_t>(params.integer("n"))) {
    if (way_ == "throws_at_once") throw std::runtime_error("there is no such instruction");
  }
  void bind(const sdk::Buffers& buffers) override {
    x_ = buffers.as<float>(0);
    y_ = buffers.as<float>(1);
    if (way_ == "in_bind") work(n_);
  }
  [[nodiscard]] std::optional<sdk::Tolerance> tolerance() const override {
    if (way_ == "wide_tolerance") return sdk::Tolerance{0.5};
    return std::nullopt;
  }

  void run(sdk::Stream) override {
    const int call = shared().calls++;
    if (way_ == "nothing" || way_ == "in_bind") return;
    if (way_ == "practised_only" && call >= 8) return;
    if (way_ == "each_second" && call % 2 == 1) return;
    if (way_ == "crashes" && call >= 8) std::raise(SIGKILL);
    if (way_ == "dies_later" && call == 8) std::thread([] { std::raise(SIGKILL); }).detach();
    if (way_ == "hangs" && call >= 8)
      while (true) pause();
    if (way_ == "leaves" && call >= 8) _exit(0);
    if (way_ == "throws" && call >= 8) throw std::runtime_error("it fell");
    if (way_ == "answers_itself" && call >= 8) answer_on_all_pipes();
    if (way_ == "later_thread") return work_later();
    if (way_ == "by_address") return work_by_address();
    if (way_ == "part") return work(n_ / 2);
    work(n_);
    if (way_ == "wide_tolerance")
      for (std::size_t i = 0; i < n_; ++i) y_[i] *= 1.2F;
    if (way_ == "zeroed_inputs")
      for (std::size_t i = 0; i < n_; ++i) x_[i] = 0, y_[i] = 1;
  }

 private:
  void work(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) y_[i] = 2 * x_[i] + 1;
  }
  void work_later() {
    std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      work(n_);
    }).detach();
  }
  void work_by_address() {
    std::vector<float>& kept = shared().by_address[x_];
    if (kept.empty()) {
      work(n_);
      kept.assign(y_, y_ + n_);
    }
    std::copy(kept.begin(), kept.end(), y_);
  }
  static void answer_on_all_pipes() {
    constexpr int beyond = 200;
    for (int file = 3; file < beyond; ++file)
      [[maybe_unused]] const ssize_t count = write(file, "played 3\n", 9);
  }

  std::string way_;
  std::size_t n_;
  float* x_ = nullptr;
  float* y_ = nullptr;
};

void register_all(sdk::Registry& registry) {
  registry.add(std::make_unique<Line>());
  const auto make = [](const sdk::Params& params, const sdk::Problem& problem,
                       const sdk::DeviceTraits& traits) -> std::unique_ptr<sdk::Kernel> {
    return std::make_unique<Work>(params, problem, traits);
  };
  registry.add(
      sdk::Variant{"line", way() == "no_variant" ? "other" : "work", "cpu", "as its file is called", make});
}

}  // namespace

HARNESS_MODULE("referee_plugin", register_all)
