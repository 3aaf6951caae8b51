// masks: expressions against the same conditions in C++, their errors, maps of blocks against every pair, and
// the CPU variants against the oracle on tails.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <random>

#include "kernels/masks/block_map.h"
#include "kernels/masks/cuda_text.h"
#include "kernels/masks/cudnn_mask.h"
#include "tests/kernels/masks_case.h"

void register_workload_attention(harness::sdk::Registry&);

namespace masks {
namespace {

using testing::HasSubstr;

Shape masked_shape(const std::string& mask, std::int64_t sequence, std::int64_t documents = 1,
                   const std::string& score = "score") {
  return shape_of(
      masks_params({.mask = mask, .score = score, .s = sequence, .h = 3, .documents = documents}));
}

std::int64_t document_of(std::int64_t token) {  // of 300 tokens in three documents
  return token < 33 ? 0 : token < 133 ? 1 : 2;
}

struct SameRule {
  const char* mask;
  std::function<bool(std::int64_t q, std::int64_t k, std::int64_t head)> seen;
};
const std::vector<SameRule>& rules() {
  using I = std::int64_t;
  static const std::vector<SameRule> all = {
      {"true", [](I, I, I) { return true; }},
      {"false", [](I, I, I) { return false; }},
      {"k <= q", [](I q, I k, I) { return k <= q; }},
      {"k > q", [](I q, I k, I) { return k > q; }},
      {"k <= q && q - k < 50", [](I q, I k, I) { return k <= q && q - k < 50; }},
      {"k < 100 || k <= q", [](I q, I k, I) { return k < 100 || k <= q; }},
      {"document(q) == document(k)", [](I q, I k, I) { return document_of(q) == document_of(k); }},
      {"abs(q - k) % 7 != 3", [](I q, I k, I) { return std::abs(q - k) % 7 != 3; }},
      {"!(q / 64 >= k / 64) || q == k", [](I q, I k, I) { return !(q / 64 >= k / 64) || q == k; }},
      {"q - k < 10 * (head + 1) && k <= q", [](I q, I k, I h) { return q - k < 10 * (h + 1) && k <= q; }},
      {"(q > 150 ? k : q - k) >= 20", [](I q, I k, I) { return (q > 150 ? k : q - k) >= 20; }},
      {"max(q, k) - min(q, k) <= sequence / 3 - heads",
       [](I q, I k, I) { return std::max(q, k) - std::min(q, k) <= 97; }},
      {"(q - 150) % 4 == -1 || (k - 150) / 4 < -3",
       [](I q, I k, I) { return (q - 150) % 4 == -1 || (k - 150) / 4 < -3; }},
      // Edges that lie on the last and the first key of a block.
      {"k < 127 && 128 < q", [](I q, I k, I) { return k < 127 && 128 < q; }},
      {"k <= 126 || 129 <= q", [](I q, I k, I) { return k <= 126 || 129 <= q; }},
      {"k * 2 - -q != 5", [](I q, I k, I) { return k * 2 + q != 5; }}};
  return all;
}

TEST(MaskExpressions, MeanWhatTheyMeanInCpp) {
  for (const SameRule& rule : rules()) {
    const Rules parsed(masked_shape(rule.mask, 300, 3));
    ExpressionRows<float> rows(parsed.mask(), parsed.domain());
    std::vector<std::uint8_t> seen(300);
    for (std::int64_t head = 0; head < 3; ++head)
      for (std::int64_t q = 0; q < 300; ++q) {
        rows.seen(head, q, 0, 300, seen.data());
        for (std::int64_t k = 0; k < 300; ++k)
          ASSERT_EQ(seen[static_cast<std::size_t>(k)] != 0, rule.seen(q, k, head))
              << rule.mask << " at " << q << ", " << k << ", " << head;
      }
  }
}

TEST(MaskExpressions, HaveMapsThatAreRightForEveryPair) {
  for (const SameRule& rule : rules())
    for (const std::int64_t side : {32, 128}) {
      const Rules parsed(masked_shape(rule.mask, 300, 3));
      const BlockMap map(parsed, side, 128);
      double pairs = 0;
      for (std::int64_t head = 0; head < 3; ++head)
        for (std::int64_t qb = 0; qb < map.query_blocks; ++qb)
          for (std::int64_t kb = 0; kb < map.key_blocks; ++kb) {
            bool some = false;
            bool all = true;
            const std::int64_t q_end = std::min<std::int64_t>(300, (qb + 1) * side);
            const std::int64_t k_end = std::min<std::int64_t>(300, (kb + 1) * 128);
            for (std::int64_t q = qb * side; q < q_end; ++q)
              for (std::int64_t k = kb * 128; k < k_end; ++k) {
                some = some || rule.seen(q, k, head);
                all = all && rule.seen(q, k, head);
              }
            EXPECT_EQ(map.at(head, qb, kb), all    ? Seen::wholly
                                            : some ? Seen::partly
                                                   : Seen::none)
                << rule.mask;
            if (some) pairs += static_cast<double>((q_end - qb * side) * (k_end - kb * 128));
          }
      EXPECT_DOUBLE_EQ(map.share(300), pairs / (3 * 300.0 * 300.0)) << rule.mask;
    }
}

TEST(MaskExpressions, OfScoresMeanWhatTheyMeanInCpp) {
  const std::pair<const char*, std::function<double(double, double, double, double)>> all[] = {
      {"score", [](double s, double, double, double) { return s; }},
      {"20 * tanh(score / 20)", [](double s, double, double, double) { return 20 * std::tanh(s / 20); }},
      {"score - exp2(-8.0 * (head + 1) / heads) * (q - k)",
       [](double s, double q, double k, double h) { return s - std::exp2(-8.0 * (h + 1) / 3) * (q - k); }},
      {"score > 0.5 ? score : -1", [](double s, double, double, double) { return s > 0.5 ? s : -1; }},
      {"max(score, min(0.25, 1e-1)) + exp(-abs(score)) - q / 7",
       [](double s, double q, double, double) {
         return std::max(s, 0.1) + std::exp(-std::fabs(s)) - std::floor(q / 7);
       }},
      {"3", [](double, double, double, double) { return 3.0; }}};
  for (const auto& [text, right] : all) {
    const Rules parsed(masked_shape("true", 300, 3, text));
    ExpressionRows<double> rows(parsed.score(), parsed.domain());
    std::vector<double> scores(300);
    for (std::size_t k = 0; k < 300; ++k) scores[k] = std::sin(static_cast<double>(k)) * 30;
    rows.change(2, 17, 0, 300, scores.data());
    for (std::size_t k = 0; k < 300; ++k) {
      const double before = std::sin(static_cast<double>(k)) * 30;
      ASSERT_NEAR(scores[k], right(before, 17, static_cast<double>(k), 2), 1e-12) << text << " at " << k;
    }
  }
}

std::string complaint(const std::string& mask, const std::string& score = "score") {
  try {
    const Rules parsed(masked_shape(mask, 300, 3, score));
    return "";
  } catch (const std::invalid_argument& reason) {
    return reason.what();
  }
}

TEST(MaskExpressions, SayWhereTheyAreWrong) {
  EXPECT_EQ(complaint("k <= q"), "");
  EXPECT_THAT(complaint("k <="), HasSubstr("character 5"));
  EXPECT_THAT(complaint("k <= p"), HasSubstr("character 6"));
  EXPECT_THAT(complaint("k <= q q"), HasSubstr("character 8"));
  EXPECT_THAT(complaint("(k <= q"), HasSubstr("expected `)`"));
  EXPECT_THAT(complaint(""), HasSubstr("character 1"));
  EXPECT_THAT(complaint("q - k"), HasSubstr("condition"));
  EXPECT_THAT(complaint("k <= q <= 3"), HasSubstr("number"));
  EXPECT_THAT(complaint("k && q"), HasSubstr("condition"));
  EXPECT_THAT(complaint("k <= 0.5 * q"), HasSubstr("whole"));
  EXPECT_THAT(complaint("score > 0"), HasSubstr("expected"));
  EXPECT_THAT(complaint("true", "k <= q"), HasSubstr("number"));
  EXPECT_THAT(complaint("true", "score % 2"), HasSubstr("whole"));
  EXPECT_THAT(complaint("q % k == 0"), HasSubstr("divisor"));
  EXPECT_EQ(complaint("q % max(1, k) == 0"), "");
  EXPECT_THAT(complaint("q * q * q * q > 0"), HasSubstr("32 bits"));
  EXPECT_THAT(complaint("document(q + 1) == 0"), HasSubstr("document"));
  EXPECT_EQ(complaint("document(min(q + 1, sequence - 1)) == 0"), "");
  EXPECT_THAT(complaint("k < 99999999999"), HasSubstr("large"));
  EXPECT_THAT(complaint(std::string(5000, '(')), HasSubstr("1000 characters"));
  EXPECT_THAT(complaint(std::string(900, '(')), HasSubstr("deep"));
  EXPECT_THAT(complaint(std::string(900, '-') + "q < 1"), HasSubstr("deep"));
}

// Random bytes and random changes of good text: an answer or an error, never anything else.
TEST(MaskExpressions, TakeAnyText) {
  std::mt19937 random(4);
  const std::string alphabet = "qk01 9.<>=!&|+-*/%()?:,eshdocumntabxpr\xC3";
  int good = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = "max(q, 3) - k < 20 && !(head == 1 || q % 7 == k / 3)";
    const auto changes = random() % 4;
    for (unsigned change = 0; change < changes; ++change)
      text[random() % text.size()] = alphabet[random() % alphabet.size()];
    good += complaint(text).empty() ? 1 : 0;
  }
  EXPECT_GT(good, 1000);
  EXPECT_LT(good, 3900);
}

TEST(MaskExpressions, AreWrittenInCudaWithTheSameMeaning) {
  EXPECT_EQ(cuda_text(Expression::mask("k <= q && q - k < 8")), "((k <= q) && ((q - k) < 8))");
  EXPECT_EQ(cuda_text(Expression::mask("q > k")), "(k < q)");
  EXPECT_EQ(cuda_text(Expression::mask("!(document(q) == 3)")), "(!(documents[q] == 3))");
  EXPECT_EQ(cuda_text(Expression::score("2 * tanh(score)")),
            "(static_cast<float>(2) * ptx::tanh_approximate(score))");
  EXPECT_EQ(cuda_text(Expression::score("min(score, abs(q - k))")),
            "fminf(score, static_cast<float>(abs((q - k))))");
  EXPECT_EQ(Expression::mask("k<=q").canonical(), Expression::mask(" ( k  <= q ) ").canonical());
}

TEST(MasksOracle, IsThatOfAttentionWhereCausal) {
  FilledMasks one({.mask = "k <= q", .s = 70, .d = 8, .b = 2, .h = 3});
  harness::sdk::Registry registry;
  register_workload_attention(registry);
  harness::sdk::Params params = one.params;
  params.set("causal", true);
  std::vector<std::int64_t> wanted = {0, 7, 8, 3000, 559, 560, 561};
  std::vector<double> masked(wanted.size());
  std::vector<double> causal(wanted.size());
  one.workload().reference(one.params, one.inputs(), 0, wanted, masked);
  registry.workloads.front()->reference(params, one.inputs(), 0, wanted, causal);
  EXPECT_THAT(masked, testing::Pointwise(testing::DoubleEq(), causal));
}

TEST(MasksWork, IsThatOfBlocksWithASeenKey) {
  const auto flops = [](const MaskCase& one) { return FilledMasks(one).problem.work.flops; };
  const double all = flops({.mask = "true", .s = 512});
  EXPECT_DOUBLE_EQ(all, 4.0 * 512 * 512 * 64);
  EXPECT_DOUBLE_EQ(flops({.mask = "k <= q", .s = 512}), all * 10 / 16);
  EXPECT_DOUBLE_EQ(flops({.mask = "q / 128 == k / 128", .s = 512}), all / 4);
}

TEST(MasksOfCudnn, AreCausalAndWindows) {
  const auto shape = [](const std::string& mask) { return cudnn_shape(masked_shape(mask, 300)); };
  EXPECT_FALSE(shape("true").causal);
  EXPECT_TRUE(shape("q >= k").causal);
  EXPECT_EQ(shape("k <= q").window, 0);
  EXPECT_EQ(shape("k <= q && q - k < 17").window, 17);
  EXPECT_TRUE(shape("k <= q && q - k < 17").causal);
  for (const char* const other :
       {"k < q", "q - k < 17", "k <= q && q - k <= 17", "document(q) == document(k)"})
    EXPECT_THROW(shape(other), harness::sdk::Unsupported) << other;
  EXPECT_THROW(cudnn_shape(masked_shape("k <= q", 300, 1, "score / 2")), harness::sdk::Unsupported);
}

class MasksOnCpus : public testing::TestWithParam<MaskCase> {};

TEST_P(MasksOnCpus, AreRight) {
  for (const auto& [name, add] : {std::pair{"plain", &register_variant_masks_plain},
                                  std::pair{"threads_blocks", &register_variant_masks_threads_blocks}})
    for (const std::string dtype : {"f16", "bf16"}) {
      MaskCase one = GetParam();
      one.dtype = dtype;
      FilledMasks filled(one);
      add(filled.registry);
      harness::sdk::DeviceTraits traits;
      traits.multiprocessors = 3;
      const auto kernel = filled.registry.variants.front().make(filled.params, filled.problem, traits);
      std::vector<void*> addresses;
      for (auto& tensor : filled.tensors) addresses.push_back(tensor.data.data());
      kernel->bind({addresses, nullptr});
      kernel->run({});
      EXPECT_LE(filled.error(), filled.problem.tolerance.relative) << name << " " << filled.params.text_id();
    }
}

INSTANTIATE_TEST_SUITE_P(
    Masks, MasksOnCpus,
    testing::Values(MaskCase{.s = 1}, MaskCase{.mask = "k <= q", .s = 131, .h = 2},
                    MaskCase{.mask = "k <= q && q - k < 20", .s = 300},
                    MaskCase{.mask = "document(q) == document(k)", .s = 260, .b = 2, .documents = 4},
                    MaskCase{.mask = "k < 40 || k <= q", .s = 200, .d = 24},
                    MaskCase{.mask = "k < q", .s = 129, .d = 8},  // query 0 sees nothing
                    MaskCase{.mask = "q - k < 9 * (head + 1) && k <= q", .s = 150, .d = 16, .h = 3},
                    MaskCase{.mask = "k <= q",
                             .score = "score - exp2(-8.0 * (head + 1) / heads) * (q - k)",
                             .s = 140,
                             .h = 4},
                    MaskCase{.score = "2 * tanh(score / 2)", .s = 200, .d = 32}));

}  // namespace
}  // namespace masks
