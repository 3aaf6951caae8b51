// Metrics and samples by variant, sizes as costs, and claims: on a small document of a network in three modes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rating } from "page/format";
import { metric_by_variant, samples_by_variant } from "page/plots/by_variant";
import { claimed_speedups } from "page/plots/claimed_speedups";
import { pareto, size_metrics } from "page/plots/pareto";
import { is_missing, type Plot } from "page/plots/plot";
import { staged, stages } from "page/plots/stages";
import { light } from "page/theme";
import { document_in } from "./documents";

const look = { theme: light, width: 700 };
const drawn = (plot: unknown) => {
  assert.ok(!is_missing(plot as never), JSON.stringify(plot));
  return plot as Plot & { option: { series: any[]; xAxis: any; yAxis: any } };
};

// Metrics of each variant: time in us, accuracy in %, loss, bytes.
const figures: Record<string, number[]> = {
  fp32: [10, 92.4, 0.25, 19240],
  int8: [12, 92.5, 0.26, 5336],
  int4: [15, 92.1, 0.3, 3256],
  e5m2: [14, 91.9, 0.31, 5048],
};
const metrics: [string, string, string][] = [
  ["time", "us", "lower"],
  ["loss", "nats", "lower"],
  ["accuracy", "%", "higher"],
  ["model_bytes", "bytes", "lower"],
];
const at = [0, 2, 1, 3];
const cases = Object.entries(figures).flatMap(([variant, values]) =>
  metrics.map(([metric, unit], index) => {
    const center = values[at[index]!]!;
    const speedup = variant === "fp32" ? null : { reference: "net/fp32", ratio: 1, interval: null };
    return {
      case: `net/${variant}`,
      metric,
      unit,
      center,
      interval: [center * 0.99, center * 1.01],
      confidence: 0.99,
      speedup,
    };
  }),
) as any[];
const details = Object.keys(figures).map((variant) => ({
  case: `net/${variant}`,
  workload: "net",
  variant,
  device: "cpu",
  params: {},
  series: metrics.map(([metric, unit, direction]) => ({ metric, unit, direction, processes: [] })),
})) as any[];

test("a size is a cost where another declared metric differs", () => {
  assert.deepEqual(
    size_metrics(cases, details).map((one) => one.metric),
    ["model_bytes"],
  );
  const same_size = cases.map((one) => (one.unit === "bytes" ? { ...one, center: 100 } : one));
  assert.deepEqual(size_metrics(same_size, details), []);
  const { report, details: fusion } = document_in("run").current;
  assert.deepEqual(size_metrics(report.cases, fusion), []);
});

test("accuracy against bytes has the modes that no other beats in both", () => {
  const [size] = size_metrics(cases, details);
  const plot = drawn(pareto(cases, details, "accuracy", look, size));
  assert.match(plot.title, /model_bytes/);
  const front = plot.table.rows.filter((row) => row[3] === "yes").map((row) => row[0]);
  assert.deepEqual(front, ["net/int8", "net/int4"]);
});

test("a metric by variant has intervals and the change from the reference", () => {
  const plot = drawn(metric_by_variant(cases, details, "loss", look));
  assert.deepEqual(plot.option.yAxis.data, ["fp32", "int8", "int4", "e5m2"]);
  assert.deepEqual(plot.option.series[1].data[2], [2, 0.3 * 0.99, 0.3 * 1.01]);
  assert.deepEqual(
    plot.table.rows.map((row) => row[4]),
    ["", "+4.00 %", "+20.00 %", "+24.00 %"],
  );
  assert.ok(is_missing(metric_by_variant(cases, details, "error", look)));
});

test("samples by variant are relative to each one's centre", () => {
  const { report, details: fusion } = document_in("run").current;
  const rungs = fusion.filter(
    (one: any) => one.params.m === 512 && one.params.dtype === "f16" && one.device === "cuda",
  );
  const plot = drawn(samples_by_variant(report.cases, rungs, "gpu_time", look));
  assert.equal(plot.table.rows.length, rungs.length);
  for (const row of plot.table.rows)
    assert.ok(Math.abs(Number(row[4])) < 5, `the median is ${row[4]} % from the centre`);
  assert.ok(is_missing(samples_by_variant(report.cases, rungs, "nothing", look)));
});

test("stages are relative to the first, and each step to the one before it", () => {
  const tagged = details.map((one) => ({ ...one, tags: one.variant === "e5m2" ? [] : ["stages"] }));
  const [rungs] = [...staged(tagged).values()];
  assert.deepEqual(
    rungs!.map((one) => one.variant),
    ["fp32", "int8", "int4"],
  );
  const ratios: Record<string, number> = { "net/int8": 1.5, "net/int4": 3 };
  const timed = cases.map((one) => ({
    ...one,
    speedup: ratios[one.case]
      ? { reference: "net/fp32", ratio: ratios[one.case], interval: [ratios[one.case]! - 0.1, ratios[one.case]! + 0.1] }
      : null,
  }));
  const plot = drawn(stages(timed, rungs!, "net", "time", look));
  assert.deepEqual(plot.table.rows, [
    ["fp32", "1.00×", "", "", ""],
    ["int8", "1.50×", "1.40×", "1.60×", "1.50×"],
    ["int4", "3.00×", "2.90×", "3.10×", "2.00×"],
  ]);
  assert.deepEqual(plot.option.yAxis.data, ["fp32", "int8", "int4"]);
  assert.match(plot.summary, /relative to fp32, int8 is 1.50× as fast, int4 is 3.00× as fast/);
  assert.ok(plot.notes.some((note) => note.startsWith("Whiskers: 99 %")));
  const other = timed.map((one) => ({ ...one, speedup: one.speedup && { ...one.speedup, reference: "net/int8" } }));
  assert.ok(is_missing(stages(other, rungs!, "net", "time", look)), "they are relative to another case");
  assert.equal(staged(details.map((one) => ({ ...one, tags: [] }))).size, 0);
});

test("claims are drawn with what was claimed and what was measured", () => {
  const claim = (range: [number | null, number | null], status: string) => ({
    ...{ says: "It is faster.", claimed: "15.2x", found: "1.6x", range, status },
    ...{ value: 1.6, interval: [1.5, 1.7] },
  });
  const claims = [claim([15.2, null], "refuted"), claim([1, 2], "confirmed")] as any[];
  const plot = drawn(claimed_speedups(claims, look));
  const [lo, hi] = [plot.option.xAxis.min, plot.option.xAxis.max];
  assert.ok(lo > 0 && lo < 1 && hi > 15.2);
  assert.deepEqual(plot.option.series[0].data, [
    [0, 15.2, hi],
    [1, 1, 2],
  ]);
  assert.equal(plot.option.series[1].data[0].itemStyle.color, light.bad);
  assert.equal(plot.option.series[1].data[1].itemStyle.color, light.good);
});

test("a speedup is rated by the lower end of its interval", () => {
  const rated = [1.51, 1.5, 1.2, 1, 0.9].map((lower) => rating([lower, 9]));
  assert.deepEqual(rated, ["excellent", "good", "measured", "investigate", "investigate"]);
  assert.equal(rating(null), "");
});
