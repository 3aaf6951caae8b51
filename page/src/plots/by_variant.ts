// The variants of one problem beside each other: a metric with its intervals, and the samples as violins.

import type { CaseDetails } from "../data";
import { values_of } from "../decode";
import { change, counted, printable, quantity, with_unit } from "../format";
import type { RunCase } from "../reports";
import { clipped, finite } from "../statistics";
import { base, type Drawn, label_width, type Look, row_axis, row_height, told, value_axis, whiskers } from "./plot";
import { clip_note, form_note, no_samples, type Samples } from "./sides";
import { violin_of } from "./violin";

// A metric that is no time, with its change from the reference.
export function metric_by_variant(
  cases: readonly RunCase[],
  details: readonly CaseDetails[],
  metric: string,
  look: Look,
): Drawn {
  const title = `${printable(metric, 60)} by variant`;
  const variants = new Map(details.map((one) => [one.case, printable(one.variant, 60)]));
  const rows = cases.filter((one) => one.metric === metric && one.center !== null && variants.has(one.case));
  const [first] = rows;
  if (!first) {
    const missing = `No case here has the metric ${printable(metric, 60)}.`;
    return { title, missing, remedy: "Name it under `metrics` in the suite and measure again." };
  }
  const unit = printable(first.unit, 20);
  const names = rows.map((one) => variants.get(one.case) ?? "");
  const from_reference = (one: RunCase) => {
    const reference = rows.find((other) => other.case === one.speedup?.reference);
    return reference?.center && one.center !== null ? change(one.center / reference.center) : "";
  };
  const center = (one: RunCase) => one.center ?? 0;
  const least = rows.reduce((best, one) => (center(one) < center(best) ? one : best));
  const most = rows.reduce((best, one) => (center(one) > center(best) ? one : best));
  const name = (one: RunCase) => variants.get(one.case) ?? "";
  const { theme } = look;
  return {
    title,
    summary:
      `${counted(rows.length, "variant")}, from ${with_unit(least.center, unit)} (${name(least)}) to ` +
      `${with_unit(most.center, unit)} (${name(most)}).`,
    notes: [
      first.confidence != null
        ? `Whiskers: ${Math.round(first.confidence * 100)} % interval of one value a process.`
        : "",
    ].filter(Boolean),
    height: 64 + row_height(look, names) * rows.length,
    option: {
      ...base(look),
      grid: { left: label_width(look, names) + 16, right: 24, top: 8, bottom: 44 },
      xAxis: value_axis(look, `${printable(metric, 60)}${unit ? ` in ${unit}` : ""}`),
      yAxis: row_axis(look, names),
      tooltip: told(look, ({ dataIndex }) => {
        const one = rows[dataIndex];
        return one ? [name(one), with_unit(one.center, unit), from_reference(one)].filter(Boolean).join("\n") : "";
      }),
      series: [
        {
          type: "scatter",
          symbol: "diamond",
          symbolSize: 10,
          itemStyle: { color: theme.current },
          data: rows.map((one, row) => [center(one), row]),
        },
        whiskers(
          rows.flatMap(({ interval }, row): [number, number, number][] =>
            interval ? [[row, interval[0], interval[1]]] : [],
          ),
          [theme.current],
        ),
      ],
    },
    table: {
      columns: ["variant", `${metric} (${unit})`, "from", "to", "against the reference"],
      rows: rows.map((one) => [
        name(one),
        quantity(one.center),
        quantity(one.interval?.[0]),
        quantity(one.interval?.[1]),
        from_reference(one),
      ]),
    },
  };
}

// All samples of each variant, in percent of its own centre: variants may differ by orders of magnitude.
export function samples_by_variant(
  cases: readonly RunCase[],
  rungs: readonly CaseDetails[],
  metric: string,
  look: Look,
): Drawn {
  const title = "Samples of each variant";
  const sides = rungs.flatMap((rung) =>
    rung.series.filter((one) => one.metric === metric).map((series) => ({ name: "current" as const, series, rung })),
  );
  const rows = sides.flatMap(({ rung, series }): Samples["rows"] => {
    const own = cases.find((one) => one.case === rung.case && one.metric === metric);
    const [process] = series.processes;
    const center = own?.center;
    if (!center || !process) return [];
    const values = series.processes.flatMap((one) => finite(values_of(one)).map((value) => (value / center - 1) * 100));
    const count = series.processes.reduce((sum, one) => sum + one.count, 0);
    const name = `${printable(rung.variant, 60)}, ${with_unit(center, own.unit)}`;
    return values.length === 0 ? [] : [{ side: "current", process: { ...process, value: 0, count }, name, values }];
  });
  const range = clipped(rows.map((row) => row.values));
  if (!range || rows.length === 0) return { title, ...no_samples };
  const room = (range.hi - range.lo) * 0.03 || 0.01;
  const axis_name = `${printable(metric, 40)}, % from the variant's own centre`;
  const samples: Samples = { ...range, rows, lo: range.lo - room, hi: range.hi + room, unit: "%", axis_name };
  const spread = (row: Samples["rows"][number]) => Math.max(...row.values) - Math.min(...row.values);
  const widest = rows.reduce((most, row) => (spread(row) > spread(most) ? row : most));
  const summary = `${counted(rows.length, "variant")}; the widest spread is that of ${widest.name}: ${quantity(spread(widest), 3)} %.`;
  const notes = [
    form_note(sides),
    "Shape: density of the samples of all processes; ticks: where they lie.",
    clip_note(samples),
  ];
  return violin_of(samples, title, summary, notes, look);
}
