// The plots of a suite, on a record of the fusion suite from an H200.
import assert from "node:assert/strict";
import { test } from "node:test";
import { break_even } from "page/plots/break_even";
import { form_of, grouped, ladders_of, sizes_beside } from "page/plots/names";
import { ceiling } from "page/plots/ceiling";
import { front, pareto, qualities, verification_error } from "page/plots/pareto";
import { phases } from "page/plots/phases";
import { is_missing, type Plot } from "page/plots/plot";
import { roofline } from "page/plots/roofline";
import { most_rows, speedup } from "page/plots/speedup";
import { waterfall } from "page/plots/waterfall";
import { dark, light, series_colour, symbol_at } from "page/theme";
import { document_in } from "./documents";

const look = { theme: light, width: 700 };
const { report, details } = document_in("run").current;
const imported = document_in("comparison").current;
const drawn = (plot: unknown) => {
  assert.ok(!is_missing(plot as never), JSON.stringify(plot));
  return plot as Plot & { option: { series: any[]; xAxis: any; yAxis: any } };
};
const missing = (plot: unknown) => {
  assert.ok(is_missing(plot as never), "a chart where a sentence was due");
  return plot as { missing: string; remedy: string };
};

test("no two of many variants share both colour and symbol", () => {
  const looks = Array.from({ length: 64 }, (_, at) => `${light.series[at % light.series.length]} ${symbol_at(at)}`);
  assert.equal(new Set(looks).size, 64);
});

test("21 phases have 21 colours that can be told apart, light and dark", () => {
  const channels = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  for (const theme of [light, dark]) {
    const colours = Array.from({ length: 21 }, (_, at) => channels(series_colour(theme, at)));
    colours.forEach((one, at) =>
      colours.slice(0, at).forEach((other) => {
        const apart = Math.hypot(...one.map((value, channel) => value - other[channel]!));
        assert.ok(apart > 18, `${theme.dark} ${at}: ${one} ${other}`);
      }),
    );
  }
  const one = { ...structuredClone(details[0]), phases: {} as Record<string, number> };
  for (let at = 0; at < 21; ++at) one.phases[`phase ${at}`] = 1;
  const bars = drawn(phases([one], look)).option.series.filter((series) => series.type === "bar");
  assert.equal(new Set(bars.map((bar) => bar.itemStyle.color)).size, bars.length);
});

test("many phases are the known ones, the longest ones, and the sum of the rest", () => {
  const one = { ...structuredClone(details[0]), phases: { construct: 1, sampling: 100 } as Record<string, number> };
  for (let at = 0; at < 18; ++at) one.phases[`bookkeeping ${at}`] = at === 3 ? 20 : 0.5;
  const plot = drawn(phases([one], look));
  assert.deepEqual(plot.table.columns, ["case", "set-up", "steady (sampling)", "bookkeeping 3", "others", "in all"]);
  assert.match(plot.table.rows[0]![4]!, /^8.50 s$/);
  assert.ok(plot.notes.some((note) => note.includes("bookkeeping 17")));
});

test("each case with a reference has its bar and its interval", () => {
  const plot = drawn(speedup(report.cases, look));
  const with_reference = report.cases.filter((one: any) => one.speedup);
  assert.equal(plot.option.series[0].data.length, with_reference.length);
  assert.deepEqual(
    plot.option.series[0].data.map((bar: any) => bar.value),
    with_reference.map((one: any) => one.speedup.ratio),
  );
  assert.deepEqual(plot.option.series[1].data[0], [0, ...with_reference[0].speedup.interval]);
  assert.match(plot.summary, /largest speedup is 1\.53×/);
});

test("too many bars are cut, and that is said", () => {
  const many = Array.from({ length: 5 }, () => report.cases).flat();
  const plot = drawn(speedup(many, look));
  assert.equal(plot.option.series[0].data.length, most_rows);
  assert.ok(plot.notes.some((note) => note.includes(`first ${most_rows} of`)));
});

test("the roof is made of the ceilings that were measured", () => {
  const machine = report.machines.cuda;
  const plot = drawn(roofline(report.cases, details, "cuda", machine, look));
  const [start, ridge, end] = plot.option.series[0].data;
  const { gemm_flops_per_s: peak, copy_bytes_per_s: bandwidth } = machine.ceilings;
  assert.ok(Math.abs(start[1] / start[0] / bandwidth - 1) < 1e-9);
  assert.ok(Math.abs((ridge[0] * bandwidth) / peak - 1) < 1e-9);
  assert.equal(end[1], peak);
  const dots = plot.option.series.slice(1, -1).flatMap((one) => one.data);
  assert.equal(dots.length, 24);
  for (const [intensity, flops] of dots)
    assert.ok(flops <= Math.min(peak, intensity * bandwidth) * 1.02, "no case is above the roof");
});

test("each variant has a line of shares, over sizes in the order of their work", () => {
  const [name, some] = [...grouped(details, form_of)][0]!;
  const cases = report.cases.filter((one: any) => some.some((own: any) => own.case === one.case));
  const plot = drawn(ceiling(cases, some, name, look));
  const variants = new Set(some.map((one: any) => one.variant));
  assert.equal(plot.option.series.length, variants.size);
  const work = plot.option.xAxis.data.map(
    (size: string) => some.find((one: any, at: number) => sizes_beside(some)[at] === size)!.flops,
  );
  assert.deepEqual(
    work,
    [...work].sort((left: any, right: any) => left - right),
  );
  assert.ok(work.length > 1);
  for (const series of plot.option.series) {
    assert.equal(series.data.length, plot.option.xAxis.data.length);
    for (const [at, share] of series.data) {
      const size = plot.option.xAxis.data[at];
      const own = some.find((one: any, i: number) => one.variant === series.name && sizes_beside(some)[i] === size)!;
      const told = cases.find((one: any) => one.case === own.case && one.share_of_ceiling != null)!;
      assert.ok(Math.abs(share - told.share_of_ceiling! * 100) < 1e-9);
    }
  }
});

test("the ladder's steps lead from its first rung to its last", () => {
  const [name, rungs] = [...ladders_of(details)][0]!;
  const plot = drawn(waterfall(report.cases, rungs, name, "gpu_time", look));
  const centers = rungs.map((rung: any) => report.cases.find((one: any) => one.case === rung.case).center);
  assert.deepEqual(plot.option.xAxis.data, [...rungs.map((rung: any) => rung.variant), "end"]);
  assert.equal(plot.option.series[0].data.at(-1)[1], centers.at(-1));
  assert.deepEqual(plot.table.rows[1]!.slice(2), ["−15.02 %", "−15.02 %"]);
});

test("only what nothing else beats in both is on the front", () => {
  const dot = (cost: number, quality: number) => ({ name: `${cost}`, cost, quality });
  const dots = [dot(3, 1), dot(1, 5), dot(2, 6), dot(2, 3), dot(4, 1), dot(1, 7)];
  assert.deepEqual(
    front(dots, "lower").map((one) => one.name),
    ["1", "2", "3"],
  );
  assert.deepEqual(
    front(dots, "higher").map((one) => [one.cost, one.quality]),
    [[1, 7]],
  );
});

test("the error that verification found is a quality", () => {
  assert.deepEqual(qualities(report.cases, details, "gpu_time").map((one) => one.name)[0], verification_error);
  const size = details.filter((one: any) => one.params.m === 512 && one.device === "cuda");
  const names = new Set(size.map((one: any) => one.case));
  const plot = drawn(
    pareto(
      report.cases.filter((one: any) => names.has(one.case)),
      size,
      null,
      look,
    ),
  );
  assert.equal(plot.table.rows.length, 8);
  // The tolerance of the check is drawn, and the axis reaches it.
  const known = report.cases.filter((one: any) => names.has(one.case) && one.verification);
  const tolerance = Math.min(...known.map((one: any) => one.verification.tolerance));
  const line = plot.option.series.flatMap((one: any) => one.markLine?.data ?? [])[0];
  assert.equal(line.yAxis, tolerance);
  const label = plot.option.series.flatMap((one: any) => one.markLine?.label.formatter ?? [])[0];
  assert.match(label, /^smallest of 2 tolerances/);
  assert.ok((plot.option as any).yAxis.max > tolerance);
  assert.match(plot.summary, /tolerance/);
  assert.ok(plot.table.rows.some((row) => row[3] === "yes") && plot.table.rows.some((row) => row[3] === "no"));
});

test("a quality that is the same everywhere is none, and neither is a time", () => {
  const same = report.cases.map((one: any) => ({
    ...one,
    verification: one.verification && { ...one.verification, before: 1e-4, after: 1e-4 },
  }));
  assert.deepEqual(qualities(same, details, "gpu_time"), []);
  assert.match(missing(pareto(same, details, null, look)).missing, /nothing differs between the cases/);
});

test("phases are stacked", () => {
  const two = structuredClone(details.slice(0, 2));
  two[0].phases = { construct: 2, sampling: 2 };
  two[1].phases = { sampling: 4 };
  const plot = drawn(phases(two, look));
  assert.deepEqual(
    plot.option.series.slice(0, 2).map((one) => [one.name, one.data]),
    [
      ["set-up", [2, 0]],
      ["steady (sampling)", [2, 4]],
    ],
  );
  assert.match(plot.summary, /set-up 25 %, steady \(sampling\) 75 %/);
});

// Times in microseconds.
function with_set_up(times: [set_up: number, first: number, call: number][]) {
  const rungs = details.slice(0, times.length).map((one: any, at: number) => ({ ...one, variant: `v${at}` }));
  const { case: name } = rungs[0];
  const cases = times.flatMap((all, at) =>
    ["setup_time", "first_call", "gpu_time"].map((metric, which) => ({
      ...report.cases[0],
      case: rungs[at].case,
      metric,
      unit: "us",
      center: all[which],
      speedup: at === 0 ? null : { reference: name, ratio: 1, interval: null },
    })),
  );
  return break_even(cases as never, rungs, "problem", look);
}

test("a variant pays once set-up, first call and calls add up to less than the reference's", () => {
  const plot = drawn(
    with_set_up([
      [100, 20, 10],
      [1098, 30, 5],
      [100, 20, 10],
      [50, 5, 11],
      [5000, 10, 10],
    ]),
  );
  // 1128 + 5 n against 120 + 10 n, where n are the calls after the first.
  assert.deepEqual(
    plot.table.rows.map((row) => row[4]),
    ["", "after 203 calls", "from the first call", "never for good", "never for good"],
  );
  const [reference, compiled] = plot.option.series.map((one) => new Map(one.data));
  assert.ok(Math.abs((reference!.get(1) as number) - 120e-6) < 1e-12);
  assert.ok(Math.abs((compiled!.get(1000) as number) - (1128 + 999 * 5) * 1e-6) < 1e-12);
  assert.equal(Math.max(...plot.option.series[0].data.map(([calls]: [number]) => calls)), 10000);
});

test("one set-up time alone is nothing to compare", () => {
  assert.match(missing(with_set_up([[1, 1, 1]])).remedy, /setup_time/);
});

test("what an import lacks is said in words, with the way to get it", () => {
  const { report: bare, details: samples } = imported;
  assert.match(missing(speedup(bare.cases, look)).remedy, /reference/);
  assert.match(missing(roofline(bare.cases, samples, "import", bare.machines.import, look)).missing, /ceilings/);
  assert.match(missing(ceiling(bare.cases, samples, "", look)).missing, /share of a measured ceiling/);
  assert.match(missing(pareto(bare.cases, samples, null, look)).missing, /nothing differs between the cases/);
  assert.match(missing(phases(samples, look)).remedy, /harness run/);
  assert.match(missing(waterfall(bare.cases, [], "", "gpu_time", look)).remedy, /variants/);
});

test("bars of time are not mixed with those of other metrics", () => {
  const error = { ...report.cases.find((one: any) => one.speedup), metric: "error", unit: "" };
  const plot = drawn(speedup([...report.cases, error], look));
  assert.ok(plot.table.rows.length === report.cases.filter((one: any) => one.speedup).length);
});

test("every tooltip of a suite is drawn as text, none as HTML", () => {
  const [name, rungs] = [...ladders_of(details)][0]!;
  const plots = [
    speedup(report.cases, look),
    pareto(report.cases, details, null, look),
    roofline(report.cases, details, "cuda", report.machines.cuda, look),
    ceiling(report.cases, details, "", look),
    waterfall(report.cases, rungs, name, "gpu_time", look),
  ];
  for (const plot of plots) assert.equal((drawn(plot).option as any).tooltip.renderMode, "richText");
});
