// A ladder of variants at one problem: the first one's time, what each next variant takes away or adds,
// and where the last one ends. Variants are in the order of the suite.

import type { EChartsOption } from "echarts";
import type { CaseDetails } from "../data";
import { change, printable, quantity, tick, with_unit } from "../format";
import type { RunCase } from "../reports";
import type { Theme } from "../theme";
import { axis_style, base, type Drawn, type Look, type RenderItem, told } from "./plot";

interface Rung {
  variant: string;
  center: number;
}

// One bar of the picture: the first rung and the end stand on the ground, the steps between them hang.
interface Step {
  name: string;
  from: number;
  to: number;
  whole: boolean;
  label: string;
  told: string;
}

export function waterfall(
  cases: readonly RunCase[],
  details: readonly CaseDetails[],
  ladder: string,
  metric: string,
  look: Look,
): Drawn {
  const title = "Ladder of variants";
  const of_case = new Map(cases.filter((one) => one.metric === metric).map((one) => [one.case, one]));
  const rungs = details.flatMap((detail): Rung[] => {
    const center = of_case.get(detail.case)?.center ?? null;
    return center === null ? [] : [{ variant: printable(detail.variant, 60), center }];
  });
  const [first, last] = [rungs[0], rungs[rungs.length - 1]];
  if (rungs.length < 2 || !first || !last) {
    return {
      title,
      missing: "No problem here was measured with two variants or more.",
      remedy: "List several `variants` of a workload in one case of the suite, from the plainest to the best.",
    };
  }
  const unit = printable(of_case.get(details[0]?.case ?? "")?.unit ?? "", 20);
  const best = rungs.reduce((least, rung) => (rung.center < least.center ? rung : least));
  const steps = steps_of(rungs, first, last, unit);
  return {
    title,
    summary:
      `${printable(ladder, 200)}: from ${with_unit(first.center, unit)} (${first.variant}) by ` +
      `${steps
        .slice(1, -1)
        .map((step) => `${step.name} ${step.label}`)
        .join(", ")} to ${with_unit(last.center, unit)}. ` +
      `The fastest is ${best.variant} with ${with_unit(best.center, unit)}.`,
    notes: ["Each step is relative to the variant before it; centres are geometric means of the process values."],
    height: 340,
    option: option_of(steps, `${printable(metric, 40)} in ${unit} · ${printable(ladder, 90)}`, look),
    table: {
      columns: ["variant", `centre (${unit})`, "step", "in all"],
      rows: rungs.map((rung, at) => [
        rung.variant,
        quantity(rung.center),
        at === 0 ? "" : (steps[at]?.label ?? ""),
        at === 0 ? "" : change(rung.center / first.center),
      ]),
    },
  };
}

function steps_of(rungs: readonly Rung[], first: Rung, last: Rung, unit: string): Step[] {
  const steps = rungs.map((rung, at): Step => {
    const before = rungs[at - 1];
    const label = before ? change(rung.center / before.center) : quantity(rung.center);
    const told = `${rung.variant}\n${with_unit(rung.center, unit)}${before ? `\n${label} against the variant before` : ""}`;
    return { name: rung.variant, from: before?.center ?? 0, to: rung.center, whole: !before, label, told };
  });
  const told = `end: ${with_unit(last.center, unit)}, ${change(last.center / first.center)} in all`;
  return [...steps, { name: "end", from: 0, to: last.center, whole: true, label: quantity(last.center), told }];
}

function option_of(steps: readonly Step[], axis_name: string, look: Look): EChartsOption {
  const { theme } = look;
  const room = look.width / steps.length;
  return {
    ...base(look),
    grid: { left: 64, right: 16, top: 40, bottom: room < 110 ? 84 : 40 },
    title: {
      text: axis_name,
      left: 8,
      top: 4,
      padding: 0,
      textStyle: {
        color: theme.faint,
        fontSize: 11,
        fontWeight: "normal",
        width: look.width - 24,
        overflow: "truncate",
      },
    },
    xAxis: {
      ...axis_style(look),
      type: "category",
      data: steps.map((step) => step.name),
      splitLine: { show: false },
      axisTick: { show: false },
      axisLabel: {
        color: theme.text,
        fontSize: 11,
        interval: 0,
        width: room < 110 ? 104 : room - 8,
        overflow: "truncate",
        rotate: room < 110 ? 35 : 0,
      },
    },
    yAxis: {
      ...axis_style(look),
      type: "value",
      min: 0,
      axisLabel: { color: theme.faint, fontSize: 11, formatter: tick },
    },
    tooltip: told(look, (item) => steps[item.dataIndex]?.told ?? ""),
    series: [
      {
        type: "custom",
        renderItem: drawing_of(steps, theme),
        encode: { x: 0, y: 1 },
        data: steps.map((step, at) => [at, Math.max(step.from, step.to)]),
      },
    ],
  };
}

// A block from one height to the other, its label above, and a dashed line to the next.
function drawing_of(steps: readonly Step[], theme: Theme): RenderItem {
  return (params, api) => {
    const at = params.dataIndex;
    const step = steps[at];
    if (!step) return { type: "group", children: [] };
    const [x, from] = api.coord([at, step.from]) as [number, number];
    const to = (api.coord([at, step.to]) as [number, number])[1];
    const pitch = (api.size?.([1, 0]) as [number, number])[0];
    const width = Math.min(72, pitch * 0.62);
    const top = Math.min(from, to);
    const fill = step.whole ? theme.faint : step.to < step.from ? theme.good : theme.bad;
    const block = {
      type: "rect" as const,
      shape: { x: x - width / 2, y: top, width, height: Math.max(1, Math.abs(to - from)) },
      style: { fill, opacity: step.whole ? 0.55 : 0.85 },
    };
    const link = {
      type: "line" as const,
      shape: { x1: x + width / 2, x2: x + pitch - width / 2, y1: to, y2: to },
      style: { stroke: theme.faint, lineDash: [3, 3] },
    };
    const place = { x, y: top - 5, align: "center" as const, verticalAlign: "bottom" as const };
    const label = { type: "text" as const, style: { text: step.label, ...place, fill: theme.text, fontSize: 11 } };
    return { type: "group", children: at < steps.length - 1 ? [block, link, label] : [block, label] };
  };
}
