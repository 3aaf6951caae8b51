#include "harness/catalog/python_module.h"

#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include "harness/catalog/python_child.h"

namespace harness {
namespace {

LoadPython interpreter = nullptr;  // of this process

// A workload of a file of Python, for planning.
class PlannedWorkload final : public sdk::Workload {
 public:
  PlannedWorkload(std::shared_ptr<PythonChild> child, PythonWorkload described)
      : child_(std::move(child)), described_(std::move(described)) {}

  [[nodiscard]] std::string_view name() const override { return described_.name; }
  [[nodiscard]] std::string_view summary() const override { return described_.summary; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override { return described_.params; }
  [[nodiscard]] sdk::Problem problem(const sdk::Params& params) const override {
    return child_->problem(described_.name, params);
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor>, std::size_t,
                 std::span<const std::int64_t>, std::span<double>) const override {
    throw std::logic_error("only a worker that Python runs can call the reference");
  }

 private:
  std::shared_ptr<PythonChild> child_;
  PythonWorkload described_;
};

std::unique_ptr<sdk::Kernel> only_in_python(const sdk::Params&, const sdk::Problem&,
                                            const sdk::DeviceTraits&) {
  throw std::logic_error("only a worker that Python runs can call a case");
}

Status add_for_planning(const std::filesystem::path& path, sdk::Registry& registry) {
  Result<PythonChild> started = PythonChild::start(path);
  if (!started) return fail(started.error());
  const auto child = std::make_shared<PythonChild>(std::move(*started));
  for (const PythonWorkload& workload : child->workloads()) {
    if (!workload.built_in) registry.add(std::make_unique<PlannedWorkload>(child, workload));
    for (const PythonVariant& one : workload.variants)
      registry.add(sdk::Variant{workload.name, one.name, one.device, one.summary, only_in_python});
  }
  return {};
}

}  // namespace

bool is_python_module(std::string_view path) {
  return path.ends_with(".py");
}

void run_in_python(LoadPython load) {
  interpreter = load;
}

Status add_python_module(const std::filesystem::path& path, sdk::Registry& registry) {
  if (interpreter == nullptr) return add_for_planning(path, registry);
  const PluginExports* exports = nullptr;
  std::array<char, 4096> message{};
  const int count = interpreter(path.c_str(), &exports, message.data(), message.size());
  if (count < 0) return fail(ErrorKind::usage, std::string(message.data()));
  for (int i = 0; i < count; ++i)
    if (Status added = add_c_plugin(exports[i], registry); !added) return added;
  return {};
}

}  // namespace harness
