#!/usr/bin/env python3
"""Writes the values that tests/stats compares against, computed by scipy and numpy.

Run in this folder: `python3 make_reference.py`. Needs scipy >= 1.10. The data are drawn from fixed
seeds and stored beside the results, so that the tests need no Python. Holm and Benjamini-Hochberg are
written out here from their definitions, independently of the C++ code. Series in time order, modes and
power of their tests are in make_series_reference.py.
"""

import json
import math
import pathlib

import numpy as np
from scipy import integrate, stats

FOLDER = pathlib.Path(__file__).parent


def write(name, cases):
    text = json.dumps(cases, indent=1, allow_nan=False)
    (FOLDER / name).write_text(text + "\n", encoding="utf-8")


def datasets():
    draw = np.random.default_rng(20250101)
    yield "equal sizes", draw.normal(0, 1, 5), draw.normal(0.5, 1, 5)
    yield "unequal sizes", draw.normal(3, 0.2, 4), draw.normal(3.05, 0.2, 17)
    yield "unequal variances", draw.normal(0, 0.01, 8), draw.normal(0.02, 0.2, 8)
    yield "two against fifty", draw.normal(1, 0.3, 2), draw.normal(1.2, 0.1, 50)
    yield "two against two", np.array([1.0, 1.2]), np.array([1.5, 1.9])
    yield "log times", np.log(draw.normal(23.7, 0.07, 5)), np.log(draw.normal(24.0, 0.08, 5))
    yield "far apart", draw.normal(0, 0.001, 6), draw.normal(1, 0.001, 6)
    yield "one side constant", np.full(5, 2.0), draw.normal(2.01, 0.02, 7)
    yield "large numbers", draw.normal(1e8, 1, 9), draw.normal(1e8 + 2, 2, 12)


def critical_value(tail, dof):
    """t exceeded with probability `tail`. scipy 1.10's own is only good to 2e-9: two Newton steps mend it.

    (With 2 degrees of freedom and .01 the closed form .98 / sqrt(.0198) = 6.964556734283274 shows it.)
    """
    t = stats.t.isf(tail, dof)
    for _ in range(2):
        t += (stats.t.sf(t, dof) - tail) / stats.t.pdf(t, dof)
    return float(t)


def welch():
    """Welch's test from its formulas; checked here against scipy.stats.ttest_ind(equal_var=False)."""
    cases = []
    for name, baseline, current in datasets():
        variances = baseline.var(ddof=1) / len(baseline), current.var(ddof=1) / len(current)
        error = math.sqrt(sum(variances))
        dof = sum(variances) ** 2 / (
            variances[0] ** 2 / (len(baseline) - 1) + variances[1] ** 2 / (len(current) - 1)
        )
        # Differences of means are taken as sums of exact fractions, so that they carry no rounding
        # that the tolerance of the tests would have to allow for.
        difference = math.fsum(current) / len(current) - math.fsum(baseline) / len(baseline)
        case = {
            "name": name,
            "baseline": baseline.tolist(),
            "current": current.tolist(),
            "difference": difference,
            "standard_error": error,
            "degrees_of_freedom": dof,
            "intervals": [],
            "margins": [],
        }
        for confidence in (0.9, 0.98, 0.999):
            reach = critical_value((1 - confidence) / 2, dof) * error
            case["intervals"].append(
                {"confidence": confidence, "lo": difference - reach, "hi": difference + reach}
            )
        whole = stats.ttest_ind(current, baseline, equal_var=False, alternative="greater")
        assert math.isclose(whole.pvalue, stats.t.sf(difference / error, dof), rel_tol=1e-6)
        for margin in (0.0, 0.01, 0.3):
            above = stats.t.sf((difference - margin) / error, dof)
            below = stats.t.cdf((difference - margin) / error, dof)
            lower = stats.t.sf((difference + margin) / error, dof)
            case["margins"].append(
                {
                    "margin": margin,
                    "p_above": float(above),
                    "p_below": float(below),
                    "p_outside": float(max(lower, below)),
                }
            )
        cases.append(case)
    return cases


def known_variance():
    """Satterthwaite with a known variance as a component of infinite degrees of freedom."""
    cases = []
    for name, baseline, current in datasets():
        for known_baseline, known_current in ((1e-6, 1e-6), (0.04, 0.0), (1.0, 2.0)):
            one, other = baseline.var(ddof=1) / len(baseline), current.var(ddof=1) / len(current)
            squared = one + other + known_baseline + known_current
            dof = squared**2 / (one**2 / (len(baseline) - 1) + other**2 / (len(current) - 1))
            difference = math.fsum(current) / len(current) - math.fsum(baseline) / len(baseline)
            cases.append(
                {
                    "name": name,
                    "baseline": baseline.tolist(),
                    "current": current.tolist(),
                    "known_baseline": known_baseline,
                    "known_current": known_current,
                    "standard_error": math.sqrt(squared),
                    "degrees_of_freedom": dof,
                    "p_above_zero": float(stats.t.sf(difference / math.sqrt(squared), dof)),
                }
            )
    return cases


def holm(p_values):
    adjusted = np.empty(len(p_values))
    for i, p in enumerate(p_values):
        # Adjusted p: the largest (m - rank + 1) p over all hypotheses that come no later than this one.
        order = np.argsort(p_values, kind="stable")
        place = int(np.where(order == i)[0][0])
        adjusted[i] = max(
            min(1.0, (len(p_values) - k) * p_values[order[k]]) for k in range(place + 1)
        )
    return adjusted


def benjamini_hochberg(p_values):
    order = np.argsort(p_values, kind="stable")
    scaled = p_values[order] * len(p_values) / np.arange(1, len(p_values) + 1)
    scaled = np.minimum(1, np.minimum.accumulate(scaled[::-1])[::-1])
    adjusted = np.empty(len(p_values))
    adjusted[order] = scaled
    return adjusted


def multiplicity():
    draw = np.random.default_rng(7)
    sets = [
        np.array([0.01, 0.04, 0.03, 0.005]),
        np.array([0.2]),
        np.array([0.5, 0.5, 0.5]),
        np.array([1e-300, 1.0, 0.0, 0.02]),
        draw.uniform(0, 1, 18),
        np.concatenate([draw.uniform(0, 1e-3, 10), draw.uniform(0, 1, 90)]),
    ]
    return [
        {
            "p": p.tolist(),
            "holm": holm(p).tolist(),
            "benjamini_hochberg": benjamini_hochberg(p).tolist(),
        }
        for p in sets
    ]


def power_by_integration(critical, dof, shift):
    """P(Z + shift > critical * sqrt(q / dof)) over q ~ chi-squared: no non-central t involved."""

    def integrand(q):
        return stats.norm.sf(critical * math.sqrt(q / dof) - shift) * stats.chi2.pdf(q, dof)

    edges = [0.0] + [float(stats.chi2.ppf(f, dof)) for f in np.linspace(0.01, 0.99, 40)]
    edges += [float(stats.chi2.isf(f, dof)) for f in (1e-3, 1e-5, 1e-8, 1e-12, 1e-17)]
    pieces = zip(edges, edges[1:])
    return math.fsum(integrate.quad(integrand, a, b, epsabs=0, epsrel=1e-12)[0] for a, b in pieces)


def power():
    """Power of the one-sided t-test."""
    cases = []
    for dof in (2, 4, 6.3, 8, 14, 38, 250.5):
        for alpha in (0.05, 0.01, 0.001):
            critical = critical_value(alpha, dof)
            for shift in (0.5, 2.0, critical, critical + 1.5):
                value = power_by_integration(critical, dof, shift)
                assert math.isclose(value, stats.nct.sf(critical, dof, shift), rel_tol=1e-7)
                cases.append(
                    {
                        "degrees_of_freedom": dof,
                        "alpha": alpha,
                        "critical": critical,
                        "shift": shift,
                        "power": value,
                    }
                )
    return cases


def location():
    draw = np.random.default_rng(99)
    sets = [
        np.array([3.0]),
        np.array([2.0, 1.0]),
        np.array([5.0, 1.0, 3.0]),
        draw.normal(10, 1, 7),
        draw.lognormal(3, 0.4, 50),
        np.concatenate([draw.normal(23.7, 0.1, 47), [31.0, 28.0, 24.9]]),
        np.round(draw.normal(84, 1.2, 50)) * 0.032,
        draw.normal(0, 1, 1001),
    ]
    fractions = [0.0, 0.05, 0.25, 1 / 3, 0.5, 0.75, 0.95, 0.99, 1.0]
    cases = []
    for values in sets:
        first, third = np.quantile(values, [0.25, 0.75])
        spread = third - first
        far = (values < first - 3 * spread) | (values > third + 3 * spread)
        mild = ((values < first - 1.5 * spread) | (values > third + 1.5 * spread)) & ~far
        case = {
            "values": values.tolist(),
            "mean": math.fsum(values) / len(values),
            "sd": float(values.std(ddof=1)) if len(values) > 1 else None,
            "fractions": fractions,
            "quantiles": np.quantile(values, fractions).tolist(),
            "trimmed": {
                str(share): float(stats.trim_mean(values, share)) for share in (0.0, 0.1, 0.25, 0.4)
            },
            "median": float(np.median(values)),
            "mild": int(mild.sum()),
            "far": int(far.sum()),
        }
        if (values > 0).all():
            case["log_value"] = float(stats.trim_mean(np.log(values[~far]), 0.1))
        cases.append(case)
    return cases


def proportion():
    cases = []
    for successes, trials in ((0, 50), (1, 50), (7, 90), (45, 50), (50, 50), (3, 40000)):
        for confidence in (0.95, 0.999):
            # binomtest(...).proportion_ci searches to 1e-8 only; the quantiles of beta are exact.
            tail = (1 - confidence) / 2
            low = stats.beta.ppf(tail, successes, trials - successes + 1) if successes else 0.0
            high = stats.beta.isf(tail, successes + 1, trials - successes) if successes < trials else 1.0
            found = stats.binomtest(successes, trials).proportion_ci(confidence, method="exact")
            assert math.isclose(low, found.low, rel_tol=1e-6, abs_tol=1e-12)
            assert math.isclose(high, found.high, rel_tol=1e-6)
            cases.append(
                {
                    "successes": successes,
                    "trials": trials,
                    "confidence": confidence,
                    "lo": float(low),
                    "hi": float(high),
                }
            )
    return cases


def paired():
    """One-sample t-test from its formulas, checked against scipy.stats.ttest_1samp."""
    draw = np.random.default_rng(4711)
    cases = []
    for count, center, sd in ((2, 0.01, 0.002), (5, 0.012, 0.001), (8, 0.0, 0.003), (50, -0.004, 0.01)):
        values = draw.normal(center, sd, count)
        for known in (0.0, 1e-6):
            part = values.var(ddof=1) / count
            error = math.sqrt(part + known)
            dof = (part + known) ** 2 / (part**2 / (count - 1))
            average = math.fsum(values) / count
            margins = []
            for margin in (0.0, 0.005, 0.01):
                above = float(stats.t.sf((average - margin) / error, dof))
                below = float(stats.t.cdf((average - margin) / error, dof))
                if known == 0:
                    found = stats.ttest_1samp(values, margin, alternative="greater").pvalue
                    assert math.isclose(above, found, rel_tol=1e-9)
                not_below = float(stats.t.sf((average + margin) / error, dof))
                margins.append(
                    {
                        "margin": margin,
                        "p_above": above,
                        "p_below": below,
                        "p_differs": float(2 * stats.t.sf(abs(average - margin) / error, dof)),
                        "p_equivalence": max(below, not_below),
                    }
                )
            reach = critical_value(0.01, dof) * error
            cases.append(
                {
                    "values": values.tolist(),
                    "known": known,
                    "difference": average,
                    "standard_error": error,
                    "degrees_of_freedom": dof,
                    "lo": average - reach,
                    "hi": average + reach,
                    "margins": margins,
                }
            )
    return cases


def f_quantile(probability, *dof):
    """As critical_value: two Newton steps after scipy's own quantile."""
    value = stats.f.ppf(probability, *dof)
    for _ in range(2):
        value -= (stats.f.cdf(value, *dof) - probability) / stats.f.pdf(value, *dof)
    return float(value)


def variance():
    cases = []
    for name, baseline, current in datasets():
        if baseline.std() == 0:
            continue
        case = {"name": name, "baseline": baseline.tolist(), "current": current.tolist()}
        dof = len(current) - 1, len(baseline) - 1
        f = current.var(ddof=1) / baseline.var(ddof=1)
        bounds = [f / f_quantile(0.95, *dof), f / f_quantile(0.05, *dof)]
        tails = stats.f.sf(f, *dof), stats.f.cdf(f, *dof)
        cases.append(case | {"f": f, "p": float(2 * min(tails)), "lo": bounds[0], "hi": bounds[1]})
    return cases


if __name__ == "__main__":
    write("welch.json", welch())
    write("known_variance.json", known_variance())
    write("multiplicity.json", multiplicity())
    write("power.json", power())
    write("location.json", location())
    write("proportion.json", proportion())
    write("paired.json", paired())
    write("variance.json", variance())
