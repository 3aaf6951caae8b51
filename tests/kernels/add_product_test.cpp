// Products for right answers, against plain loops: any shape, any steps, any instruction set.
#include "kernels/cpu/add_product.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/kernels/isas.h"

namespace kernels {
namespace {

template <class Real>
std::vector<Real> drawn(std::int64_t count, std::mt19937_64& random) {
  std::vector<Real> values(static_cast<std::size_t>(count));
  for (Real& one : values) one = static_cast<Real>(std::uniform_real_distribution<>(-1, 1)(random));
  return values;
}

struct Extents {
  std::int64_t rows, inner, columns;
};

template <class Real>
void check(const Extents& of, bool transposed, const Isa& isa) {
  std::mt19937_64 random(7);
  const auto a = drawn<Real>(of.rows * of.inner, random), b = drawn<Real>(of.inner * of.columns, random);
  const auto c = drawn<Real>(of.rows * of.columns, random);
  const Strided<Real> left =
      transposed ? Strided<Real>{a.data(), 1, of.rows} : Strided<Real>{a.data(), of.inner, 1};
  Panels<Real> panels;
  std::vector<Real> got = c;
  add_product(left, b.data(), got.data(), of.rows, of.inner, of.columns, panels, 1, isa);
  const double tolerance = (sizeof(Real) == 4 ? 1e-6 : 1e-15) * std::sqrt(static_cast<double>(of.inner) + 1);
  for (std::int64_t i = 0; i < of.rows; ++i)
    for (std::int64_t j = 0; j < of.columns; ++j) {
      double sum = c[static_cast<std::size_t>(i * of.columns + j)];
      for (std::int64_t p = 0; p < of.inner; ++p)
        sum += double{left.first[i * left.row_step + p * left.inner_step]} *
               double{b[static_cast<std::size_t>(p * of.columns + j)]};
      ASSERT_NEAR(got[static_cast<std::size_t>(i * of.columns + j)], sum, 4 * tolerance)
          << isa.name << " " << i << " " << j;
    }
}

constexpr Extents shapes[] = {{1, 1, 1},     {4, 8, 8},      {13, 300, 35},
                              {97, 256, 17}, {200, 513, 70}, {3, 40, 129}};

TEST(AddProduct, IsThatOfPlainLoops) {
  for (const Isa* const isa : usable_isas())
    for (const Extents& of : shapes)
      for (const bool transposed : {false, true}) {
        check<float>(of, transposed, *isa);
        check<double>(of, transposed, *isa);
      }
}

TEST(AddProduct, OfNothingLeavesWhatIsThere) {
  std::vector<double> c = {1, 2, 3, 4};
  Panels<double> panels;
  const double none = 0;
  add_product<double>({&none, 1, 1}, &none, c.data(), 2, 0, 2, panels, 2);
  EXPECT_THAT(c, testing::ElementsAre(1, 2, 3, 4));
}

// So large that several threads pack and several multiply.
TEST(AddProduct, HasTheSameSumsWhoeverComputesThem) {
  const std::int64_t rows = 100, n = 1000;
  std::mt19937_64 random(1);
  const auto a = drawn<double>(rows * n, random), b = drawn<double>(n * n, random);
  std::vector<double> alone(rows * n), together(rows * n);
  Panels<double> panels, shared;
  add_product<double>({a.data(), n, 1}, b.data(), alone.data(), rows, n, n, panels, 1);
  add_product<double>({a.data(), n, 1}, b.data(), together.data(), rows, n, n, shared, 4);
  EXPECT_EQ(alone, together);
}

}  // namespace
}  // namespace kernels
