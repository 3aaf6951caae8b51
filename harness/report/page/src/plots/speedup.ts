// How many times as fast as its reference each case is: a bar from 0, its interval, and a line at 1.

import { counted, printable, times } from "../format";
import type { RunCase } from "../reports";
import { short_names } from "./names";
import { base, type Drawn, label_width, type Look, row_axis, told, value_axis, whiskers } from "./plot";

export const most_rows = 60;

export function speedup(cases: readonly RunCase[], look: Look): Drawn {
  const title = "Speedup over the reference";
  const all = cases.filter((one) => one.speedup?.ratio != null);
  if (all.length === 0) {
    return {
      title,
      missing: "No case here has a speedup, because none names a case to be relative to.",
      remedy: "Add `reference: <variant>` to the case in the suite and measure again.",
    };
  }
  const shown = all.slice(0, most_rows);
  const { theme } = look;
  const names = short_names(shown.map((one) => one.case));
  const ratio = (one: RunCase) => one.speedup?.ratio ?? Number.NaN;
  const surely = (one: RunCase) => {
    const interval = one.speedup?.interval;
    return !interval ? "undecided" : interval[0] > 1 ? "faster" : interval[1] < 1 ? "slower" : "undecided";
  };
  const colour = (one: RunCase) => ({ faster: theme.good, slower: theme.bad, undecided: theme.faint })[surely(one)];
  const faster = shown.filter((one) => surely(one) === "faster").length;
  const slower = shown.filter((one) => surely(one) === "slower").length;
  const most = shown.reduce((best, one) => (ratio(one) > ratio(best) ? one : best));
  const confidence = shown.find((one) => one.confidence != null)?.confidence;
  return {
    title,
    summary:
      `Of ${counted(shown.length, "case")} with a reference, ${faster} surely faster, ${slower} surely slower, ` +
      `${shown.length - faster - slower} undecided or without an interval. The largest speedup is ${times(ratio(most))}, ` +
      `of ${printable(most.case, 200)}.`,
    notes: [
      confidence != null ? `Whiskers: ${Math.round(confidence * 100)} % interval from the process values of both.` : "",
      all.length > shown.length ? `The first ${shown.length} of ${all.length} cases; filter the table to see others.` : "",
    ].filter(Boolean),
    height: 64 + 24 * shown.length,
    option: {
      ...base(look),
      grid: { left: label_width(look, names) + 16, right: 56, top: 24, bottom: 40 },
      xAxis: { ...value_axis(look, "times as fast as the reference"), scale: false, min: 0 },
      yAxis: row_axis(look, names),
      tooltip: told(look, (item) => {
        const one = shown[item.dataIndex];
        if (!one) return "";
        return [
          printable(one.case, 90),
          `${times(ratio(one))} as fast as ${printable(one.speedup?.reference ?? "", 90)}`,
          one.speedup?.interval ? `interval ${times(one.speedup.interval[0])} to ${times(one.speedup.interval[1])}` : "no interval",
        ].join("\n");
      }),
      series: [
        {
          type: "bar",
          barMaxWidth: 16,
          data: shown.map((one) => ({ value: ratio(one), itemStyle: { color: colour(one), opacity: 0.75 } })),
          markLine: {
            silent: true, symbol: "none", animation: false,
            lineStyle: { color: theme.text, type: "dashed", width: 1 },
            label: { formatter: "reference", color: theme.faint, position: "start", distance: 4, fontSize: 11, show: false },
            data: [{ xAxis: 1 }],
          },
        },
        whiskers(
          shown.flatMap((one, row): [number, number, number][] =>
            one.speedup?.interval ? [[row, one.speedup.interval[0], one.speedup.interval[1]]] : [],
          ),
          [theme.text],
        ),
        {
          type: "scatter", symbolSize: 0, silent: true,
          data: shown.map((one, row) => [Math.max(ratio(one), one.speedup?.interval?.[1] ?? 0), row]),
          label: {
            show: true, position: "right", color: theme.text, fontSize: 11,
            formatter: (item) => times(ratio(shown[item.dataIndex] as RunCase)),
          },
        },
      ],
    },
    table: {
      columns: ["case", "reference", "speedup", "from", "to"],
      rows: shown.map((one) => [
        one.case, one.speedup?.reference ?? "", times(ratio(one)), times(one.speedup?.interval?.[0]), times(one.speedup?.interval?.[1]),
      ]),
    },
  };
}
