#!/usr/bin/env python3
"""Writes moderation.json beside it: prior variances and moderated tests, by mpmath with 40 digits.

The formulas are those of Smyth (2004), worked out here from their definitions: trigamma is inverted by
bisection, tails of F and t come from the incomplete beta function.
"""
import json
import pathlib

from mpmath import mp, mpf, betainc, digamma, exp, log, polygamma, sqrt

mp.dps = 40


def t_tail(freedom, t):
    tail = betainc(freedom / 2, mpf(1) / 2, 0, freedom / (freedom + t * t), regularized=True) / 2
    return tail if t > 0 else 1 - tail


def f_tail(one, other, ratio):
    return betainc(other / 2, one / 2, 0, other / (other + one * ratio), regularized=True)


def inverse_trigamma(value):
    low, high = mpf(10) ** -12, mpf(10) ** 12
    for _ in range(200):
        middle = sqrt(low * high)
        if polygamma(1, middle) > value:
            low = middle
        else:
            high = middle
    return low


def fit(groups):
    count = len(groups)
    logs = [log(s) - digamma(d / 2) + log(d / 2) for _, s, d in groups]
    noise = sum(polygamma(1, d / 2) for _, _, d in groups) / count
    center = sum(g[0] for g in groups) / count
    mean = sum(logs) / count
    slope = mpf(0)
    if count >= 10:
        slope = (sum((g[0] - center) * (e - mean) for g, e in zip(groups, logs)) /
                 sum((g[0] - center) ** 2 for g in groups))
    left = count - (2 if count >= 10 else 1)
    spread = sum((e - mean - slope * (g[0] - center)) ** 2 for g, e in zip(groups, logs)) / left
    excess = spread * (1 + sqrt(mpf(2) / left)) - noise
    freedom = min(2 * inverse_trigamma(excess), mpf(count)) if excess > 0 else mpf(count)
    return center, mean + digamma(freedom / 2) - log(freedom / 2), slope, freedom


def refit(groups):
    center, intercept, slope, freedom = fit(groups)
    usual = lambda level: exp(intercept + slope * (level - center))
    kept = [g for g in groups if f_tail(g[2], freedom, g[1] / usual(g[0])) >= mpf("0.05") / len(groups)]
    return fit(kept) if 5 <= len(kept) < len(groups) else (center, intercept, slope, freedom)


def satterthwaite(one, other):
    def of(v, w):
        whole = v / one[1] + w / other[1]
        return whole ** 2 / ((v / one[1]) ** 2 / one[2] + (w / other[1]) ** 2 / other[2])
    return min(of(one[0], other[0]), of(mpf(1), mpf(1)))


SUITES = {
    "alike": [(3.0, 1.1e-5, 4), (3.1, 0.7e-5, 4), (2.9, 1.6e-5, 4), (3.2, 0.9e-5, 4), (3.0, 1.3e-5, 4)],
    "scattered": [(3.0, 4e-6, 4), (3.1, 3e-5, 4), (2.9, 8e-5, 4), (3.2, 1e-6, 4), (3.0, 2e-5, 4), (3.3, 5e-6, 4)],
    "trend": [(0.98, 4.2e-4, 4), (1.72, 1.1e-4, 4), (2.93, 1.8e-5, 4), (3.17, 6.7e-6, 4), (3.26, 5.7e-6, 4),
              (3.30, 8.8e-6, 4), (3.61, 5.9e-6, 4), (3.64, 5.2e-6, 4), (5.17, 9.1e-6, 4), (5.17, 1.5e-6, 4),
              (1.84, 1.6e-4, 4), (1.0, 4.7e-4, 19)],
    "one is noisy": [(3.0, 1.1e-5, 4), (3.0, 0.9e-5, 4), (3.0, 1.0e-5, 4), (3.0, 1.2e-5, 4), (3.0, 0.8e-5, 4),
                     (3.0, 1.3e-5, 4), (3.0, 1.05e-5, 4), (3.0, 0.95e-5, 4), (3.0, 9e-2, 4)],
}
# difference, (variance, count, degrees of freedom) of both sides, known variance, prior variance and freedom
TESTS = [
    (0.004, (1.1e-5, 5, 4), (0.8e-5, 5, 4), 0, 2e-5, 8),
    (0.004, (1.1e-5, 20, 19), (3e-5, 5, 4), 2e-6, 1e-5, 8.5),
    (-0.002, (1e-6, 50, 40), (0.0, 5, 4), 1e-7, 4e-6, 3.25),
    (0.01, (0.0, 0, 0), (2e-6, 5, 4), 0, 1e-6, 12),
]


def number(value):
    return float(mp.nstr(value, 17))


def main():
    result = {"fits": [], "tests": []}
    for name, groups in SUITES.items():
        exact = [(mpf(a), mpf(b), mpf(c)) for a, b, c in groups]
        center, intercept, slope, freedom = refit(exact)
        level, own = mpf("3.4"), mpf("3e-5")
        usual = exp(intercept + slope * (level - center))
        result["fits"].append({
            "name": name, "groups": groups, "center": number(center), "intercept": number(intercept),
            "slope": number(slope), "degrees_of_freedom": number(freedom), "level": 3.4,
            "variance": number(usual), "own": 3e-5, "tail": number(f_tail(mpf(4), freedom, own / usual))})
    for difference, one, other, known, prior, weight in TESTS:
        case = {"difference": difference, "baseline": one, "current": other, "known": known,
                "prior": prior, "weight": weight}
        d, k, s0, d0 = mpf(difference), mpf(known), mpf(prior), mpf(weight)
        one, other = [tuple(mpf(x) for x in side) for side in (one, other)]
        if one[1] == 0:
            own, scale, freedom = other[0] / other[1], 1 / other[1], other[2]
        else:
            own, scale = one[0] / one[1] + other[0] / other[1], 1 / one[1] + 1 / other[1]
            freedom = satterthwaite(one, other)
        for key, variance, of in (("welch", own, freedom),
                                  ("moderated", (d0 * s0 * scale + freedom * own) / (d0 + freedom), d0 + freedom)):
            error = sqrt(variance + k)
            whole = of * ((variance + k) / variance) ** 2
            case[key] = {"standard_error": number(error), "degrees_of_freedom": number(whole),
                         "p_above": number(t_tail(whole, (d - mpf("0.001")) / error))}
        result["tests"].append(case)
    path = pathlib.Path(__file__).with_name("moderation.json")
    path.write_text(json.dumps(result, indent=1) + "\n")


main()
