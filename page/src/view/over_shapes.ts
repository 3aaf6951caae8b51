// Each variant's gain over its reference across all shapes of an entry of the suite: a table a metric.

import { printable, rating, times, unknown } from "../format";
import type { RunCase, RunReport, Speedup, SpeedupOverShapes } from "../reports";
import { type Child, el, scrolling, table } from "./dom";

// A metric on which no shape of any variant differs from its reference says nothing here.
export function telling(rows: readonly SpeedupOverShapes[]): Map<string, SpeedupOverShapes[]> {
  const metrics = new Map<string, SpeedupOverShapes[]>();
  for (const row of rows) metrics.set(row.metric, [...(metrics.get(row.metric) ?? []), row]);
  const differs = ({ ratio }: Speedup) => ratio === null || Math.abs(ratio - 1) >= 1e-9;
  return new Map([...metrics].filter(([, some]) => some.some((row) => differs(row.min) || differs(row.max))));
}

// The geometric means over all shapes as cases, in the metric that comes first: a picture of few bars.
export function cases_over_shapes(report: RunReport): RunCase[] {
  const [rows] = telling(report.speedups_over_shapes ?? []).values();
  return (rows ?? []).flatMap(
    ({ metric, workload, variant, tags, reference, confidence, geometric_mean }): RunCase[] => {
      const like = report.cases.find((one) => one.metric === metric && one.speedup);
      const name = [variant, workload, ...tags].join(" ");
      return like ? [{ ...like, case: name, confidence, speedup: { reference, ...geometric_mean } }] : [];
    },
  );
}

// "1.18× [1.09, 1.27]", both ends with as many digits.
export function with_bounds({ ratio, interval }: Speedup): string {
  if (ratio === null) return unknown;
  return interval ? `${times(ratio)} [${interval.map((end) => times(end).replace("×", "")).join(", ")}]` : times(ratio);
}

function cells(row: SpeedupOverShapes): Child[] {
  const extreme = (one: SpeedupOverShapes["min"]) =>
    el("span", { attributes: { title: printable(one.case, 200) } }, with_bounds(one));
  return [
    el("code", null, printable(row.variant, 80)),
    printable(row.reference, 80),
    printable([row.workload, ...row.tags].join(", "), 120),
    String(row.shapes),
    with_bounds(row.geometric_mean),
    rating(row.geometric_mean.interval),
    with_bounds(row.arithmetic_mean),
    with_bounds(row.median),
    extreme(row.min),
    extreme(row.max),
  ];
}

const columns = [
  "variant",
  "over",
  "of",
  "shapes",
  "geometric mean",
  "rating",
  "arithmetic mean",
  "median",
  "min",
  "max",
];

export function over_shapes(report: RunReport, scope = ""): HTMLElement | null {
  const metrics = telling(report.speedups_over_shapes ?? []);
  if (metrics.size === 0) return null;
  return el(
    "div",
    { class: "card", attributes: { id: `${scope}over-shapes` } },
    el("h3", null, "Speedups over all shapes"),
    el(
      "p",
      "faint",
      "The geometric mean suits ratios best. Rating, by the lower end of its interval: excellent above 1.5, good above 1.2, " +
        "measured above 1, else investigate. The interval of each mean, and of the median, is that figure of the " +
        "shapes' bounds. Conservative: it assumes fully correlated errors.",
    ),
    ...[...metrics].flatMap(([metric, rows]) => [
      metrics.size > 1 ? el("h4", null, printable(metric, 80)) : null,
      scrolling(
        `Speedups over all shapes: ${printable([metric, scope && report.suite.name].filter(Boolean).join(" of "), 120)}`,
        table(columns, rows.map(cells), { class: "over-shapes" }),
      ),
    ]),
  );
}
