// Inputs and right answers of one case, kept for the other variants of the same point, because making them
// can cost more than measuring. One thread uses a cache, which may make the next inputs on a thread of its
// own. Evicted entries stay alive while somebody holds them.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "harness/base/units.h"
#include "harness/sdk/workload.h"

namespace harness {

// The elements of one output that are checked, and their right values.
struct Expected {
  std::vector<std::int64_t>
      indices;  // ascending, each once; empty where `values` are of all elements in order
  std::vector<double, sdk::FreshPages<double>> values;

  [[nodiscard]] std::int64_t index(std::size_t place) const {
    return indices.empty() ? static_cast<std::int64_t>(place) : indices[place];
  }
  [[nodiscard]] bool contains(std::int64_t index) const;
};

struct CaseInputs {
  std::vector<sdk::HostTensor> inputs;  // in the order of Problem::tensors
  std::vector<Expected> expected;       // one an output, in the order of Problem::tensors
};

// The elements of `count` that are checked where `limit` does not allow all: the first, the last and one
// drawn from each of `limit` equal stretches between them. With `together` neighbours the same of groups of
// so many, four groups at least. Depends on the arguments alone.
std::vector<std::int64_t> checked_indices(std::int64_t count, std::int64_t limit, std::uint64_t seed,
                                          std::int64_t together = 1);

// The most elements of each output that are worth checking: all while the reference costs at most
// `reference_budget` operations, otherwise `sampled_elements`.
std::int64_t elements_to_check(const sdk::Problem& problem);
inline constexpr double reference_budget = 5e7;
inline constexpr std::int64_t sampled_elements = 4096;
inline constexpr std::int64_t few_elements = 256;

// A number whose bits follow from all bits of `z` (splitmix64).
std::uint64_t mixed(std::uint64_t z);

// The seed of a point's inputs in one process: the same for all variants of the point. Process 0, which looks
// before a run, has those of process 1.
std::uint64_t input_seed(const std::string& workload, const sdk::Params& params, std::uint64_t seed,
                         int process);

// "x f32 100,30" and the end of the line, for hashes.
std::string tensor_text(const sdk::TensorSpec& tensor);

// A hash of the tensors' names, types, shapes and bytes.
std::string input_digest(const CaseInputs& inputs);

// How many bytes a process may keep of inputs, and lock of outputs: a quarter of the memory that is available
// or that its control group grants, at least 512 MiB and at most 32 GiB. The variants of a point follow each
// other, and share its inputs where these fit: a model of 1.3 billion weights has 15 GiB of them, as many for
// audits, and as many outputs.
std::size_t kept_memory_limit(std::optional<std::uint64_t> available, std::optional<std::uint64_t> granted);

// Makes other inputs of the drawn ones.
struct InputsRecipe {
  std::string name;  // of all that `apply` depends on but the seed; "": the inputs stay as drawn
  std::function<void(std::span<sdk::HostTensor> inputs)> apply = {};
};

class InputCache {
 public:
  explicit InputCache(std::size_t byte_limit = kept_memory_limit({}, {})) : byte_limit_(byte_limit) {}

  // With the right answers of all elements_to_check(), or of a few, for a look that must be short. May throw
  // what the workload throws.
  enum class Answers { all, few };
  std::shared_ptr<const CaseInputs> get(const sdk::Workload& workload, const sdk::Params& params,
                                        const sdk::Problem& problem, std::uint64_t seed,
                                        Answers answers = Answers::all, const InputsRecipe& recipe = {});

  // Begins to make what get() will be asked for, with low priority. Tells whether it did: not while others
  // are made, nor where the cache has them or where they are too large to be kept beside others. An exception
  // is dropped, because get() will throw it. `workload` must outlive this.
  bool make_ahead(const sdk::Workload& workload, const sdk::Params& params, const sdk::Problem& problem,
                  std::uint64_t seed, Answers answers = Answers::all);
  [[nodiscard]] bool is_making() const { return !key_ahead_.empty(); }
  // Waits until no workload is called any more: one thread at a time may call them.
  void settle();

  // How long it took to make these ahead; 0 for others, and once it was asked.
  Seconds take_making_ahead(const CaseInputs& inputs);

  // input_digest(), computed once for inputs that the cache still holds.
  std::string digest(const CaseInputs& inputs);

 private:
  struct Entry {
    std::string key;
    std::size_t bytes = 0;
    std::shared_ptr<const CaseInputs> inputs;
    Seconds making_ahead = 0;
    std::string digest = {};  // once somebody asked
  };
  std::shared_ptr<const CaseInputs> make(const sdk::Workload& workload, const sdk::Params& params,
                                         const sdk::Problem& problem, std::uint64_t seed, Answers answers,
                                         const InputsRecipe& recipe = {});
  std::span<const std::int64_t> all_indices(std::int64_t count);
  [[nodiscard]] bool holds(const std::string& key) const;
  void keep(std::string key, std::shared_ptr<const CaseInputs> inputs, Seconds making_ahead = 0);
  void trim();

  std::size_t byte_limit_;
  std::size_t bytes_ = 0;
  using Entries = std::list<Entry>;
  Entries entries_;  // most recently used first
  // The same by name and by content: a run of thousands of small cases holds the inputs of all of them.
  std::unordered_map<std::string, Entries::iterator> by_key_;
  std::unordered_map<const CaseInputs*, Entries::iterator> by_inputs_;
  // 0, 1, 2, ...: what is wanted of an output that is checked whole, for the next one too.
  std::vector<std::int64_t, sdk::FreshPages<std::int64_t>> all_indices_;
  std::string key_ahead_;  // what is made ahead, and what the thread leaves
  std::shared_ptr<const CaseInputs> made_ahead_;
  Seconds making_ahead_ = 0;
  std::string failed_ahead_;  // what last threw
  std::jthread ahead_;        // destroyed first
};

}  // namespace harness
