// Claimed speedups beside measured ones: a bar over the claimed range, the measured interval as whiskers.

import type { CheckedClaim } from "../claims_data";
import { counted, printable, tick, times } from "../format";
import { base, type Drawn, label_width, type Look, row_axis, row_height, told, value_axis, whiskers } from "./plot";

// A range without an end reaches to the edge of the picture.
function ends_of(claims: readonly CheckedClaim[]): [number, number] {
  const all = claims.flatMap(({ range, interval }) => [...range, ...(interval ?? [])]);
  const positive = [1, ...all.filter((value): value is number => value !== null && value > 0)];
  return [Math.min(...positive) / 1.5, Math.max(...positive) * 1.5];
}

export function claimed_speedups(claims: readonly CheckedClaim[], look: Look): Drawn {
  const title = "Speedups, claimed and measured";
  const [lo, hi] = ends_of(claims);
  const names = claims.map((one) => printable(one.says, 90));
  const { theme } = look;
  const colour = { confirmed: theme.good, refuted: theme.bad, open: theme.faint };
  const refuted = claims.filter((one) => one.status === "refuted").length;
  return {
    title,
    summary:
      `${counted(claims.length, "claimed speedup")}, of which ${refuted} refuted. ` +
      `${claims.map((one) => `${printable(one.says, 80)} Claimed ${one.claimed}, measured ${one.found}`).join(". ")}.`,
    notes: [
      "Grey bars: what is claimed. Marks with whiskers: what was measured, with its interval; the scale is logarithmic.",
    ],
    height: 72 + row_height(look, names) * claims.length,
    option: {
      ...base(look),
      grid: { left: label_width(look, names) + 16, right: 24, top: 8, bottom: 44 },
      xAxis: {
        ...value_axis(look, "times as fast"),
        type: "log",
        min: lo,
        max: hi,
        axisLabel: { color: theme.faint, fontSize: 11, showMinLabel: false, showMaxLabel: false, formatter: tick },
      },
      yAxis: row_axis(look, names),
      tooltip: told(look, ({ dataIndex }) => {
        const one = claims[dataIndex];
        return one ? [`claimed ${one.claimed}`, `measured ${one.found}`, one.status].join("\n") : "";
      }),
      series: [
        {
          ...whiskers(
            claims.map(({ range }, row) => [row, range[0] ?? lo, range[1] ?? hi]),
            [theme.line],
            16,
          ),
          z: 1,
        },
        {
          type: "scatter",
          symbol: "diamond",
          symbolSize: 11,
          data: claims.map((one, row) => ({
            value: [one.value ?? lo, row],
            itemStyle: { color: colour[one.status] ?? theme.faint },
          })),
        },
        whiskers(
          claims.map(({ interval }, row) => [row, interval?.[0] ?? lo, interval?.[1] ?? lo]),
          claims.map((one) => colour[one.status] ?? theme.faint),
        ),
      ],
    },
    table: {
      columns: ["claim", "claimed", "measured", "from", "to", "answer"],
      rows: claims.map((one) => [
        one.says,
        one.claimed,
        times(one.value),
        times(one.interval?.[0]),
        times(one.interval?.[1]),
        one.status,
      ]),
    },
  };
}
