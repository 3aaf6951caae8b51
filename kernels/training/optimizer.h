// AdamW as training uses it: the coefficients of a step by its number, and the step of one weight. For host
// and device.
#pragma once

#include <cmath>

#include "kernels/host_device.h"

namespace training {

struct Optimizer {
  float rate = 1e-3F;
  float warmup = 0;  // steps in which the rate rises linearly
  float beta1 = 0.9F;
  float beta2 = 0.999F;
  float epsilon = 1e-8F;
  float decay = 0.01F;
};

// The factors of step `number`, counted from 0.
struct StepFactors {
  float kept;        // of a weight
  float size;        // of the mean's step
  float correction;  // of the variance
};

KERNELS_BOTH StepFactors step_factors(const Optimizer& by, int number) {
  const float steps = static_cast<float>(number + 1);
  const float rate = by.warmup > steps ? by.rate * steps / by.warmup : by.rate;
  return {1 - rate * by.decay, rate / (1 - powf(by.beta1, steps)), 1 / (1 - powf(by.beta2, steps))};
}

template <class Real>
KERNELS_BOTH void update_weight(const Optimizer& by, const StepFactors& factors, Real gradient, Real& weight,
                                Real& mean, Real& variance) {
  mean = Real(by.beta1) * mean + (1 - Real(by.beta1)) * gradient;
  variance = Real(by.beta2) * variance + (1 - Real(by.beta2)) * gradient * gradient;
  const Real root = std::sqrt(variance * Real(factors.correction));
  weight = weight * Real(factors.kept) - Real(factors.size) * mean / (root + Real(by.epsilon));
}

}  // namespace training
