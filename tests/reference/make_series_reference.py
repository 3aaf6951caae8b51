#!/usr/bin/env python3
"""Writes the values that tests/stats compares its tests of series and modes against.

Run in this folder: `python3 make_series_reference.py`. Needs scipy >= 1.10. What scipy lacks is computed
from its definition in the slowest and plainest way: counting, enumeration, linear programming.
"""

import math

import numpy as np
from make_reference import write
from scipy import optimize, stats

# Annual flow of the Nile at Aswan, 1871 to 1970, in 10^8 m^3: the change of 1899 is a classic (Cobb 1978).
NILE = """
1120 1160  963 1210 1160 1160  813 1230 1370 1140  995  935 1110  994 1020  960 1180  799  958 1140
1100 1210 1150 1250 1260 1220 1030 1100  774  840  874  694  940  833  701  916  692 1020 1050  969
 831  726  456  824  702 1120 1100  832  764  821  768  845  864  862  698  845  744  796 1040  759
 781  865  845  944  984  897  822 1010  771  676  649  846  812  742  801 1040  860  874  848  890
 744  749  838 1050  918  986  797  923  975  815 1020  906  901 1170  912  746  919  718  714  740
"""

# A process with target 10 and sd 1 whose mean is 11 from the 21st value on (Montgomery 2013, table 9.1).
MONTGOMERY = """
9.45 7.99 9.29 11.66 12.16 10.18 8.04 11.46 9.20 10.34 9.03 11.47 10.51 9.40 10.08 9.37 10.62 10.31 8.52
10.84 10.90 9.33 12.29 11.50 10.60 11.08 10.38 11.62 11.31 10.52
"""


def numbers(text):
    return np.array([float(word) for word in text.split()])


def auto_correlated(draw, count, rho):
    values = [draw.normal()]
    while len(values) < count:
        values.append(rho * values[-1] + draw.normal())
    return np.array(values)


def series():
    draw = np.random.default_rng(1978)
    yield "nile", numbers(NILE)
    yield "five", draw.normal(3, 1, 5)
    yield "independent", draw.normal(24, 0.1, 40)
    yield "autocorrelated", auto_correlated(draw, 60, 0.8)
    yield "alternating", np.array([1.0, 2.0] * 6) + draw.normal(0, 0.1, 12)
    yield "rising", np.arange(20) * 0.1 + draw.normal(0, 0.5, 20)
    yield "ties", np.round(draw.normal(10, 2, 30))
    yield "long", draw.normal(0, 1, 1200)


def runs_distribution(above, below):
    """How many orders of `above` a's and `below` b's have each number of runs, by building them all up."""
    ways = {(1, 0, 0): {1: 1}, (0, 1, 1): {1: 1}}
    final = {}
    for length in range(1, above + below + 1):
        grown = {}
        for (a, b, last), counts in ways.items():
            if a > above or b > below:
                continue
            if length == above + below:
                for runs, count in counts.items():
                    final[runs] = final.get(runs, 0) + count
                continue
            for kind in (0, 1):
                key = (a + (kind == 0), b + (kind == 1), kind)
                into = grown.setdefault(key, {})
                for runs, count in counts.items():
                    into[runs + (kind != last)] = into.get(runs + (kind != last), 0) + count
        ways = grown
    return final


def runs_test(values):
    kept = values[values != np.median(values)]
    high = kept > np.median(values)
    above, below = int(high.sum()), int((~high).sum())
    runs = int(1 + (high[1:] != high[:-1]).sum())
    result = {"runs": runs, "above": above, "below": below}
    if above + below > 1000:
        mean = 1 + 2 * above * below / (above + below)
        sd = math.sqrt((mean - 1) * (mean - 2) / (above + below - 1))
        few, many = stats.norm.cdf((runs - mean + 0.5) / sd), stats.norm.sf((runs - mean - 0.5) / sd)
    else:
        ways = runs_distribution(above, below)
        few = sum(count for r, count in ways.items() if r <= runs) / math.comb(above + below, above)
        many = sum(count for r, count in ways.items() if r >= runs) / math.comb(above + below, above)
    return result | {"p_few": float(few), "p_many": float(many)}


def energy_statistics(values):
    """Q of each split, by the double sums of its definition."""
    distance = np.abs(values[:, None] - values[None, :])
    result = []
    for m in range(1, len(values)):
        n = len(values) - m
        if m < 2 or n < 2:
            result.append(0.0)
            continue
        between = distance[:m, m:].sum()
        left, right = distance[:m, :m].sum() / 2, distance[m:, m:].sum() / 2
        energy = 2 * between / (m * n) - 2 * left / (m * (m - 1)) - 2 * right / (n * (n - 1))
        result.append(m * n / (m + n) * energy)
    return result + [0.0]


def serial():
    cases = []
    for name, values in series():
        centered = values - math.fsum(values) / len(values)
        squares = math.fsum(centered**2)
        lags = [1, 2, 4] if len(values) <= 5 else [1, 2, 5, 10]
        correlations = [math.fsum(centered[k:] * centered[:-k]) / squares for k in range(1, lags[-1] + 1)]
        n = len(values)
        line = stats.linregress(np.arange(n), values)
        cases.append(
            {
                "name": name,
                "values": values.tolist(),
                "lags": lags,
                "autocorrelation": [correlations[lag - 1] for lag in lags],
                "runs_test": runs_test(values),
                "slope": float(line.slope),
                "slope_error": float(line.stderr),
                "p_slope": float(line.pvalue),
            }
            | ({"energy": energy_statistics(values)} if n <= 200 else {})
        )
    return cases


def run_length(reference, decision, shift, states=1500):
    """Average run length of one side, by a Markov chain over the sum (Brook & Evans 1972)."""
    width = 2 * decision / (2 * states - 1)
    middles = np.arange(states) * width
    drift = shift - reference
    upper = stats.norm.cdf(middles[None, :] + width / 2 - middles[:, None] - drift)
    lower = np.hstack([np.zeros((states, 1)), upper[:, :-1]])
    return float(np.linalg.solve(np.eye(states) - (upper - lower), np.ones(states))[0])


def cusum():
    lengths = []
    for reference, decision in ((0.5, 4), (0.5, 5), (0.25, 8), (1, 3)):
        for shift in (0.0, 0.25, 0.5, 1.0):
            up, down = run_length(reference, decision, shift), run_length(reference, decision, -shift)
            lengths.append(
                {"reference": reference, "decision": decision, "shift": shift, "length": 1 / (1 / up + 1 / down)}
            )
    values = numbers(MONTGOMERY)
    upper = lower = 0.0
    sums = []
    for value in values:
        upper, lower = max(0, value - 10.5 + upper), max(0, 9.5 - value + lower)
        sums.append([upper, lower])
    return {"values": values.tolist(), "sums": sums, "run_lengths": lengths}


def dip_with_mode(points, heads, feet, mode):
    """The smallest band that a curve, convex up to points[mode] and concave from there, fits into."""
    last = len(points)  # variables: heights at the points (from the right at the mode), left limit, band
    rows, bounds = [], []

    def at_most(bound, **terms):
        row = np.zeros(last + 2)
        for name, factor in terms.items():
            row[int(name[1:])] += factor
        rows.append(row)
        bounds.append(bound)

    for i in range(last):
        left = last if i == mode else i  # the curve may jump at its mode
        at_most(feet[i], **{f"v{left}": 1, f"v{last + 1}": -1})
        at_most(-heads[i], **{f"v{i}": -1, f"v{last + 1}": -1})
    convex = [*range(mode), last]
    at_most(0, **{f"v{last}": 1, f"v{mode}": -1})
    for side, sign in ((convex, 1), (list(range(mode, last)), -1)):
        at = [points[mode] if i == last else points[i] for i in side]
        for i in range(1, len(side)):
            at_most(0, **{f"v{side[i - 1]}": 1, f"v{side[i]}": -1})
        for i in range(1, len(side) - 1):
            one, two = sign / (at[i] - at[i - 1]), sign / (at[i + 1] - at[i])
            at_most(0, **{f"v{side[i - 1]}": -one, f"v{side[i]}": one + two, f"v{side[i + 1]}": -two})
    goal = np.zeros(last + 2)
    goal[-1] = 1
    return optimize.linprog(goal, np.array(rows), bounds, bounds=[(0, 1)] * (last + 2), method="highs").fun


def dip():
    """The dip by linear programming over every place of the mode: no hulls involved."""
    draw = np.random.default_rng(1985)
    sets = [np.array([1.0, 2.0]), np.array([1.0, 1, 1, 1, 2, 2, 2, 2]), np.array([1.0, 1, 1, 1, 1, 2])]
    for count in (4, 5, 8, 11, 20, 33):
        sets += [draw.uniform(0, 1, count), draw.normal(0, 1, count), draw.exponential(1, count)]
        sets.append(np.concatenate([draw.normal(22.5, 0.3, count // 2), draw.normal(25.5, 0.3, count // 3)]))
        sets.append(draw.integers(0, 6, count).astype(float))
    cases = []
    for values in map(np.sort, sets):
        points, counts = np.unique(values, return_counts=True)
        heads = np.cumsum(counts) / len(values)
        feet = heads - counts / len(values)
        bands = [dip_with_mode(points, heads, feet, mode) for mode in range(len(points))]
        cases.append({"values": values.tolist(), "dip": min(bands) if len(points) > 1 else 0.0})
    return cases


def fenced(values):
    """Values beyond Tukey's far fences count as the fence."""
    if len(values) < 5:
        return values
    first, third = np.quantile(values, [0.25, 0.75])
    return np.clip(values, first - 3 * (third - first), third + 3 * (third - first))


def p_of_step(before, after):
    before, after = fenced(before), fenced(after)
    count = len(before) + len(after)
    parts = [before - before.mean(), after - after.mean()]
    squares = sum(part @ part for part in parts)
    r = sum(part[1:] @ part[:-1] for part in parts) / squares
    r = min(max(r + (1 + 4 * r) / count, 0), 0.99)
    factor = (1 + r) / (1 - r)
    error = np.sqrt(squares / (count - 2) * factor * (1 / len(before) + 1 / len(after)))
    freedom = max(3, count / factor) - 2
    return 2 * stats.t.sf(abs(before.mean() - after.mean()) / error, freedom)


def level_changes():
    """The p of one split of each series, by level_changes.h."""
    draw = np.random.default_rng(2024)
    made = {name: values for name, values in series() if name in ("nile", "independent", "autocorrelated", "rising")}
    made["outlier"] = np.concatenate([draw.normal(0, 1, 12), [30.0], draw.normal(1, 1, 15)])
    made["short"] = np.array([1.0, 3, 2, 4, 8, 6, 7])
    return [
        {"name": name, "values": values.tolist(), "index": split, "p": p_of_step(values[:split], values[split:])}
        for name, values in made.items()
        for split in (len(values) // 3, len(values) // 2)
    ]


if __name__ == "__main__":
    write("level_changes.json", level_changes())
    write("serial.json", serial())
    write("cusum.json", cusum())
    write("dip.json", dip())
