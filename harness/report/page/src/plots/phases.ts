// Where the wall time of measuring a case goes: set-up, compiling, the first call, sampling. The mean
// over the case's processes, stacked.

import type { CaseDetails } from "../data";
import { counted, duration, printable } from "../format";
import { short_names } from "./names";
import { base, type Drawn, label_width, type Look, row_axis, told, value_axis } from "./plot";
import { most_rows } from "./speedup";

const words = new Map([
  ["construct", "set-up"], ["compile", "compile"], ["first_call", "first call"], ["sampling", "steady (sampling)"],
]);

function mean_seconds(one: CaseDetails, phase: string): number {
  const known = (one.phases ?? []).map((process) => Object.hasOwn(process.seconds, phase) ? (process.seconds[phase] ?? 0) : 0);
  return known.length === 0 ? 0 : known.reduce((sum, seconds) => sum + seconds, 0) / known.length;
}

export function phases(details: readonly CaseDetails[], look: Look): Drawn {
  const title = "Set-up, first call and steady time";
  const all = details.filter((one) => (one.phases?.length ?? 0) > 0);
  if (all.length === 0) {
    return {
      title,
      missing: "How long each phase of measuring took is not in the record.",
      remedy: "`harness run` of this version keeps it; imported samples and older records hold none.",
    };
  }
  const shown = all.slice(0, most_rows);
  const { theme } = look;
  const names: string[] = [];
  for (const one of shown)
    for (const process of one.phases ?? []) for (const name of Object.keys(process.seconds)) if (!names.includes(name)) names.push(name);
  const labels = short_names(shown.map((one) => one.case));
  const word = (name: string) => words.get(name) ?? printable(name, 40);
  const total = (one: CaseDetails) => names.reduce((sum, name) => sum + mean_seconds(one, name), 0);
  const sum_of = (name: string) => shown.reduce((sum, one) => sum + mean_seconds(one, name), 0);
  const overall = shown.reduce((sum, one) => sum + total(one), 0);
  const longest = shown.reduce((most, one) => (total(one) > total(most) ? one : most));
  return {
    title,
    summary:
      `Wall time a process, mean over processes, of ${counted(shown.length, "case")}: ` +
      names.map((name) => `${word(name)} ${Math.round((100 * sum_of(name)) / overall)} %`).join(", ") +
      `. The longest is ${printable(longest.case, 200)} with ${duration(total(longest))}.`,
    notes: all.length > shown.length ? [`The first ${shown.length} of ${all.length} cases.`] : [],
    height: 96 + 24 * shown.length,
    option: {
      ...base(look),
      legend: { data: names.map(word), top: 0, itemWidth: 14, textStyle: { color: theme.text }, selectedMode: false, type: "scroll" },
      grid: { left: label_width(look, labels) + 16, right: 64, top: 36, bottom: 44 },
      xAxis: { ...value_axis(look, "seconds of wall time a process"), scale: false, min: 0 },
      yAxis: row_axis(look, labels),
      tooltip: told(look, (item) => {
        const one = shown[item.dataIndex];
        return one
          ? [printable(one.case, 90), ...names.map((name) => `${word(name)} ${duration(mean_seconds(one, name))}`), `in all ${duration(total(one))}`].join("\n")
          : "";
      }),
      series: [
        ...names.map((name, at) => ({
          type: "bar" as const, name: word(name), stack: "phases", barMaxWidth: 16,
          itemStyle: { color: theme.series[at % theme.series.length] ?? theme.text, borderColor: theme.surface, borderWidth: 1 },
          data: shown.map((one) => mean_seconds(one, name)),
        })),
        {
          type: "scatter", symbolSize: 0, silent: true, data: shown.map((one, row) => [total(one), row]),
          label: {
            show: true, position: "right", color: theme.text, fontSize: 11,
            formatter: (item) => duration(total(shown[item.dataIndex] as CaseDetails)),
          },
        },
      ],
    },
    table: {
      columns: ["case", ...names.map(word), "in all"],
      rows: shown.map((one) => [one.case, ...names.map((name) => duration(mean_seconds(one, name))), duration(total(one))]),
    },
  };
}
