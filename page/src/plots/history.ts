// A metric of a case along a branch: a point a commit with its interval, the anchor with the margin, and a line at each
// lasting change.

import type { EChartsOption } from "echarts";
import { change, counted, percent, printable, range_with_unit, tick, verdict_words, with_unit } from "../format";
import type { CaseSeries, HistoryCommit } from "../history_data";
import type { Verdict } from "../reports";
import type { Theme } from "../theme";
import { axis_style, base, type DataTable, type Drawn, type Look, told, value_axis } from "./plot";

export function history(series: CaseSeries, commits: readonly HistoryCommit[], look: Look): Drawn {
  const title = `${printable(series.metric, 40)}, ${printable(series.device, 80)}`;
  if (series.at.length === 0) {
    return { title, missing: "There is no point.", remedy: "Measure a commit of the branch with `harness run`." };
  }
  return {
    title,
    summary: summary_of(series, commits),
    notes: [
      "Points: a commit each, the geometric mean of its processes; strokes: the interval at 99 %.",
      series.verdicts.some((verdict) => verdict !== "")
        ? "Their shape is the verdict of that commit's own run: ▲ regressed, ▼ improved, ◆ undecided, ● anything else."
        : "",
      series.anchor === null ? "" : `Band: the anchor (${printable(series.anchor.name, 80)}) and its margin of ${percent(series.margin)}.`,
      series.changes.length > 0 ? "Vertical lines: lasting changes; ▲ for the worse, ▼ for the better." : "",
    ].filter(Boolean),
    height: 320,
    option: option_of(series, commits, look),
    table: table_of(series, commits),
  };
}

// "regressed"; "" where that case was not judged.
export function verdict_at(series: CaseSeries, point: number): string {
  const verdict = series.verdicts[point] ?? "";
  return Object.hasOwn(verdict_words, verdict) ? verdict_words[verdict as Verdict] : printable(verdict, 40);
}

function mark_of(verdict: string, theme: Theme) {
  if (verdict === "regressed" || verdict === "failed")
    return { symbol: "triangle", symbolSize: 11, itemStyle: { color: theme.bad } };
  if (verdict === "improved")
    return { symbol: "triangle", symbolRotate: 180, symbolSize: 11, itemStyle: { color: theme.good } };
  if (verdict === "inconclusive") return { symbol: "diamond", symbolSize: 10 };
  return {};
}

export function commit_at(series: CaseSeries, commits: readonly HistoryCommit[], point: number): HistoryCommit {
  return commits[series.at[point] ?? -1] ?? { hash: "", date: "", subject: "", record: "" };
}

const short = (hash: string) => hash.slice(0, 10);

function summary_of(series: CaseSeries, commits: readonly HistoryCommit[]): string {
  const last = series.at.length - 1;
  const [from, to] = [commit_at(series, commits, 0), commit_at(series, commits, last)];
  return (
    `${counted(series.at.length, "commit")}, from ${from.date.slice(0, 10)} to ${to.date.slice(0, 10)}; ` +
    `the newest has ${with_unit(series.center[last], series.unit)}` +
    (series.anchor === null ? "" : `, ${change((series.center[last] ?? 0) / series.anchor.center)} to the anchor`) +
    `; ${counted(series.changes.length, "lasting change")}.`
  );
}

function option_of(series: CaseSeries, commits: readonly HistoryCommit[], look: Look): EChartsOption {
  const { theme } = look;
  const last = series.at.length - 1;
  const strokes = series.at.flatMap((_, at) => {
    const [low, high] = [series.low[at], series.high[at]];
    return low == null || high == null ? [] : [[at, low], [at, high], [null, null]];
  });
  const anchor = series.anchor;
  return {
    ...base(look),
    grid: { left: 64, right: 24, top: 30, bottom: 46 },
    title: {
      text: `${printable(series.metric, 40)} in ${printable(series.unit, 20)}`,
      left: 60,
      top: 6,
      padding: 0,
      textStyle: { color: theme.faint, fontSize: 11, fontWeight: "normal" as const },
    },
    xAxis: {
      ...value_axis(look, "measured commits, the oldest first"),
      min: -0.5,
      max: last + 0.5,
      minInterval: 1,
      splitLine: { show: false },
      axisLabel: {
        color: theme.faint,
        fontSize: 11,
        hideOverlap: true,
        showMinLabel: false,
        showMaxLabel: false,
        formatter: (at: number) => commit_at(series, commits, Math.round(at)).date.slice(0, 10),
      },
    },
    yAxis: {
      ...axis_style(look),
      type: "value" as const,
      scale: true,
      axisLabel: { color: theme.faint, fontSize: 11, formatter: tick },
    },
    tooltip: told(look, (item) => {
      const at = Math.round(item.value[0]);
      const commit = commit_at(series, commits, at);
      return `${short(commit.hash)} ${commit.date.slice(0, 10)}\n${printable(commit.subject, 80)}\n${with_unit(series.center[at], series.unit)}${verdict_at(series, at) ? `, ${verdict_at(series, at)}` : ""}`;
    }),
    series: [
      {
        type: "line" as const,
        name: "interval",
        showSymbol: false,
        silent: true,
        connectNulls: false,
        lineStyle: { color: theme.faint, width: 1, opacity: 0.6 },
        data: strokes,
      },
      {
        type: "scatter" as const,
        name: "commit",
        symbolSize: series.at.length > 300 ? 4 : 7,
        itemStyle: { color: theme.current },
        cursor: "pointer",
        data: series.center.map((value, at) => ({
          value: [at, value],
          ...mark_of(series.verdicts[at] ?? "", theme),
        })),
        markLine: {
          silent: true,
          symbol: "none",
          label: { color: theme.text, fontSize: 11, formatter: (line) => line.name },
          data: series.changes.map((one) => ({
            xAxis: one.index - 0.5,
            name: `${one.worse ? "▲" : "▼"} ${change(one.ratio)}`,
            lineStyle: { color: one.worse ? theme.bad : theme.good, type: "dashed" as const, width: 1.5 },
          })),
        },
        ...(anchor === null
          ? {}
          : {
              markArea: {
                silent: true,
                itemStyle: { color: theme.band },
                data: [
                  [
                    { yAxis: anchor.center * (1 - series.margin) },
                    { yAxis: anchor.center * (1 + series.margin) },
                  ] as [{ yAxis: number }, { yAxis: number }],
                ],
              },
            }),
      },
    ],
  };
}

function table_of(series: CaseSeries, commits: readonly HistoryCommit[]): DataTable {
  return {
    columns: ["commit", "date", "subject", `value (${series.unit})`, "interval", "verdict", "record"],
    rows: series.at.map((_, at) => {
      const commit = commit_at(series, commits, at);
      const [low, high] = [series.low[at], series.high[at]];
      return [
        short(commit.hash),
        commit.date.slice(0, 10),
        commit.subject,
        with_unit(series.center[at], series.unit),
        low == null || high == null ? "" : range_with_unit(low, high, series.unit),
        verdict_at(series, at),
        commit.record,
      ];
    }),
  };
}
