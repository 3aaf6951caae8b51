// The plots of one case, on the samples that the program was given from an H200.
import assert from "node:assert/strict";
import { test } from "node:test";
import { values_of } from "page/decode";
import { interval_level } from "page/format";
import { ecdf } from "page/plots/ecdf";
import { interval } from "page/plots/interval";
import { is_missing, type Plot } from "page/plots/plot";
import { sides_of } from "page/plots/sides";
import { in_order, timeline } from "page/plots/timeline";
import { violin } from "page/plots/violin";
import { entries_of, find_entry, series_of } from "page/report";
import { light } from "page/theme";
import { document_in } from "./documents";

const look = { theme: light, width: 700 };
const page = document_in("comparison");
const entry = find_entry(entries_of(page), "gelu/mode=hot", null)!;
const sides = sides_of(series_of(entry.baseline_details, entry.metric), series_of(entry.current_details, entry.metric));
const drawn = (plot: unknown) => {
  assert.ok(!is_missing(plot as never), JSON.stringify(plot));
  return plot as Plot & { option: { series: any[]; xAxis: any; yAxis: any } };
};

test("every process of both sides has a violin", () => {
  const plot = drawn(violin(sides, look));
  assert.deepEqual(plot.option.yAxis.data, [
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((at) => `baseline ${at}`),
    ...[9, 10, 11, 12, 13, 14, 15, 16].map((at) => `current ${at}`),
  ]);
  assert.equal(plot.option.series[0].data.length, 16);
  assert.match(plot.notes[0]!, /All 4,000 samples/);
});

test("the axes of violins and distributions hold every sample, with room at both ends", () => {
  const values = sides.flatMap((side) => side.series.processes.flatMap((one) => values_of(one)));
  for (const plot of [drawn(violin(sides, look)), drawn(ecdf(sides, look))]) {
    assert.ok(plot.option.xAxis.min < Math.min(...values) && plot.option.xAxis.min > 18);
    assert.ok(plot.option.xAxis.max > Math.max(...values) && plot.option.xAxis.max < 21);
  }
});

test("far outliers leave the axes, with their count in words and beside their process", () => {
  const far = structuredClone(sides);
  const one = far[0]!.series.processes[0]!;
  one.deltas[10] = (one.deltas[10] ?? 0) + 500 * one.per_unit;
  one.deltas[11] = (one.deltas[11] ?? 0) - 500 * one.per_unit;
  for (const plot of [drawn(violin(far, look)), drawn(ecdf(far, look))]) {
    assert.ok(plot.option.xAxis.max < 25, String(plot.option.xAxis.max));
    assert.match(plot.notes.join(" "), /Clipped: \d+ far outliers? beyond the axis .*up to 51\d\.\d us/);
  }
  const line = drawn(ecdf(far, look)).option.series[0].data;
  assert.ok(line.at(-1)[1] < 1 && line.at(-1)[1] > 0.99, "a clipped line ends below 100 %");
  assert.ok(line.every(([x]: [number, number], at: number) => at === 0 || x >= line[at - 1][0]));
  assert.ok(!drawn(violin(sides, look)).notes.some((note) => note.startsWith("Clipped")));
});

test("the level of an interval is the report's, in the panel and in the picture", () => {
  const row = { ...entry.row!, confidence: 0.95 };
  assert.equal(interval_level(row), "95 % interval");
  assert.match(drawn(interval(row, look)).summary, /95 % interval/);
  assert.equal(interval_level({ ...row, confidence: undefined } as never), "interval", "a report that does not say");
});

test("every tooltip is drawn as text, none as HTML", () => {
  for (const plot of [violin(sides, look), ecdf(sides, look), timeline(sides, look), interval(entry.row!, look)])
    assert.equal((drawn(plot).option as any).tooltip.renderMode, "richText");
});

test("quantiles are called quantiles", () => {
  const fewer = structuredClone(sides);
  for (const side of fewer)
    for (const one of side.series.processes) {
      one.form = "quantiles";
      one.deltas = one.deltas.slice(0, 21);
    }
  assert.match(drawn(violin(fewer, look)).notes[0]!, /Quantiles, not samples: 21 .*4,000 samples/);
  assert.match(drawn(ecdf(fewer, look)).notes[0]!, /Quantiles/);
});

test("each cumulative line starts at 0, ends at 1, and never falls", () => {
  const plot = drawn(ecdf(sides, look));
  assert.equal(plot.option.series.length, 18);
  for (const line of plot.option.series) {
    const shares = line.data.map(([, share]: number[]) => share);
    assert.equal(shares[0], 0);
    assert.equal(shares.at(-1), 1);
    assert.deepEqual(
      shares,
      [...shares].sort((left, right) => left - right),
    );
  }
});

test("half of the slowed side's samples take longer than half of the baseline's", () => {
  const row = drawn(ecdf(sides, look)).table.rows.find(([share]) => share === "50 %")!;
  assert.ok(Number(row[2]) > Number(row[1]) * 1.01, String(row));
});

test("the interval, zero and both margins are on the axis", () => {
  const plot = drawn(interval(entry.row!, look));
  const [lo, hi] = entry.row!.interval!.map((bound) => (bound - 1) * 100) as [number, number];
  assert.ok(plot.option.xAxis.min < -0.5 && plot.option.xAxis.max > hi);
  const change = plot.option.series.find((one) => one.name === "change");
  assert.deepEqual(
    change.markLine.data.map((line: { xAxis: number }) => line.xAxis),
    [0, -0.5, 0.5],
  );
  assert.deepEqual(plot.option.series.at(-1).data, [[2, lo, hi]]);
  assert.match(plot.summary, /regressed: the change is \+1\.51 %/);
});

test("process values are relative to the centre of the baseline", () => {
  const points = drawn(interval(entry.row!, look)).option.series[0].data.map(([change]: number[]) =>
    Math.log1p(change / 100),
  );
  assert.equal(points.length, 8);
  assert.ok(
    Math.abs(points.reduce((sum: number, value: number) => sum + value, 0)) < 1e-4,
    "their geometric mean is the centre",
  );
});

test("a row without an interval says why in words", () => {
  const plot = interval({ ...entry.row!, interval: null, reason: "one process only" }, look);
  assert.ok(is_missing(plot) && /one process only/.test(plot.missing));
});

test("for a metric where more is better, left is worse", () => {
  const plot = drawn(interval({ ...entry.row!, direction: "higher" }, look));
  assert.match(plot.notes[0]!, /left of it is worse/);
});

test("without times the order is said to be that of the numbers", () => {
  const plot = drawn(timeline(sides, look));
  assert.equal(in_order(sides).timed, false);
  assert.ok(plot.notes.some((note) => note.includes("order is that of their numbers")));
  assert.ok(
    plot.notes.some((note) => note.includes("Not recorded here: SM clock, measured clock, power, temperature")),
  );
});

test("with times the placements stand in the order taken, conditions below", () => {
  const timed = structuredClone(sides);
  // Interleaved: current 9, baseline 1, current 10, ...
  timed.forEach((side, of_side) =>
    side.series.processes.forEach((one, at) =>
      one.placements.forEach((placement, within) =>
        Object.assign(placement, {
          started: 1e9 + at * 100 + (1 - of_side) * 50 + within,
          power_w: 300 + at,
          throttled: at === 2 ? ["power_cap"] : [],
        }),
      ),
    ),
  );
  const { points, timed: known } = in_order(timed);
  assert.ok(known);
  assert.deepEqual(
    points.slice(0, 12).map((point) => point.process),
    [9, 9, 9, 9, 9, 1, 1, 1, 1, 1, 10, 10],
  );
  const plot = drawn(timeline(timed, look));
  assert.equal(plot.option.xAxis.length, 2, "value and power");
  assert.match(plot.summary, /power: 300\.0 to 307\.0 W/);
  assert.match(plot.summary, /10 placements throttled \(power_cap\)/);
});

test("no samples are no empty chart", () => {
  for (const draw of [violin, ecdf, timeline]) assert.ok(is_missing(draw([], look)));
});
