// A ladder of variants at one problem: the first one's time, what each next variant takes away or adds,
// and where the last one ends. Variants are in the order of the suite.

import type { CaseDetails } from "../data";
import { change, printable, quantity, tick, with_unit } from "../format";
import type { RunCase } from "../reports";
import { axis_style, base, type Drawn, type Look, type RenderItem, told } from "./plot";

interface Rung {
  variant: string;
  one: RunCase;
  center: number;
}

export function waterfall(
  cases: readonly RunCase[], details: readonly CaseDetails[], ladder: string, metric: string, look: Look,
): Drawn {
  const title = "Ladder of variants";
  const of_case = new Map(cases.filter((one) => one.metric === metric).map((one) => [one.case, one]));
  const rungs = details.flatMap((detail): Rung[] => {
    const one = of_case.get(detail.case);
    return one?.center == null ? [] : [{ variant: detail.variant, one, center: one.center }];
  });
  const first = rungs[0];
  const last = rungs[rungs.length - 1];
  if (rungs.length < 2 || !first || !last) {
    return {
      title,
      missing: "No problem here was measured with two variants or more.",
      remedy: "List several `variants` of a workload in one case of the suite, from the plainest to the best.",
    };
  }
  const { theme } = look;
  const unit = printable(first.one.unit, 20);
  const before = (at: number) => rungs[at - 1]?.center ?? 0;
  const names = [...rungs.map((rung) => printable(rung.variant, 60)), "end"];
  const ends = [...rungs.map((rung) => rung.center), last.center];
  const starts = rungs.map((_, at) => (at === 0 ? 0 : before(at))).concat(0);
  const label = (at: number) =>
    at === 0 || at === rungs.length ? quantity(ends[at]) : `${change((ends[at] as number) / before(at))}`;
  const renderItem: RenderItem = (params, api) => {
    const at = params.dataIndex;
    const [x, from] = api.coord([at, starts[at] ?? 0]) as [number, number];
    const to = (api.coord([at, ends[at] ?? 0]) as [number, number])[1];
    const step = (api.size?.([1, 0]) as [number, number])[0];
    const width = Math.min(72, step * 0.62);
    const whole = at === 0 || at === rungs.length;
    const colour = whole ? theme.faint : to > from ? theme.good : theme.bad;
    return {
      type: "group",
      children: [
        {
          type: "rect",
          shape: { x: x - width / 2, y: Math.min(from, to), width, height: Math.max(1, Math.abs(to - from)) },
          style: { fill: colour, opacity: whole ? 0.55 : 0.85 },
        },
        ...(at < rungs.length
          ? [{ type: "line" as const, shape: { x1: x + width / 2, x2: x + step - width / 2, y1: to, y2: to }, style: { stroke: theme.faint, lineDash: [3, 3] } }]
          : []),
        {
          type: "text",
          style: { text: label(at), x, y: Math.min(from, to) - 5, align: "center", verticalAlign: "bottom", fill: theme.text, fontSize: 11 },
        },
      ],
    };
  };
  const best = rungs.reduce((least, rung) => (rung.center < least.center ? rung : least));
  return {
    title,
    summary:
      `${printable(ladder, 200)}: from ${with_unit(first.center, unit)} (${printable(first.variant, 60)}) by ` +
      rungs.slice(1).map((rung, at) => `${printable(rung.variant, 60)} ${change(rung.center / before(at + 1))}`).join(", ") +
      ` to ${with_unit(last.center, unit)}. The fastest is ${printable(best.variant, 60)} with ${with_unit(best.center, unit)}.`,
    notes: ["Each step is relative to the variant before it; centres are geometric means of the process values."],
    height: 340,
    option: {
      ...base(look),
      grid: { left: 64, right: 16, top: 40, bottom: look.width / names.length < 110 ? 84 : 40 },
      title: { text: `${printable(metric, 40)} in ${unit} · ${printable(ladder, 90)}`, left: 8, top: 4, padding: 0, textStyle: { color: theme.faint, fontSize: 11, fontWeight: "normal" } },
      xAxis: {
        ...axis_style(look), type: "category", data: names, splitLine: { show: false }, axisTick: { show: false },
        axisLabel: {
          color: theme.text, fontSize: 11, interval: 0, width: Math.max(60, look.width / names.length - 8),
          overflow: "truncate", rotate: look.width / names.length < 110 ? 35 : 0,
        },
      },
      yAxis: { ...axis_style(look), type: "value", min: 0, axisLabel: { color: theme.faint, fontSize: 11, formatter: tick } },
      tooltip: told(look, (item) => {
        const at = item.dataIndex;
        const rung = rungs[at];
        return rung
          ? `${printable(rung.variant, 60)}\n${with_unit(rung.center, unit)}${at > 0 ? `\n${change(rung.center / before(at))} against the variant before` : ""}`
          : `end: ${with_unit(last.center, unit)}, ${change(last.center / first.center)} in all`;
      }),
      series: [{ type: "custom", renderItem, encode: { x: 0, y: 1 }, data: ends.map((end, at) => [at, Math.max(end, starts[at] ?? 0)]) }],
    },
    table: {
      columns: ["variant", `centre (${unit})`, "step", "in all"],
      rows: rungs.map((rung, at) => [
        rung.variant, quantity(rung.center), at === 0 ? "" : change(rung.center / before(at)), at === 0 ? "" : change(rung.center / first.center),
      ]),
    },
  };
}
