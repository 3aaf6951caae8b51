// The picture that a comparison opens with: a line a result with its interval, the band of its margin, and a mark
// whose shape and colour is the verdict's. Places are shares of the width, so that it fits screen and paper.

import { change_of, interval_of, margin_of } from "../change_words";
import { interval_level, printable } from "../format";
import { short_names } from "../plots/names";
import { type Axis, type Effect, effect_of, place_on, worst_of } from "../plots/worst_cases";
import type { Entry } from "../report";
import type { ComparisonRow } from "../reports";
import { verdict_badge } from "./badge";
import { el, name_of, svg } from "./dom";
import { case_link } from "./case_link";

const share = (value: number) => `${(value * 100).toFixed(2)}%`;

// Around (0, 0).
const shapes: Partial<Record<ComparisonRow["verdict"], string>> = {
  regressed: "M0 -6L6.5 5H-6.5Z",
  improved: "M0 6L6.5 -5H-6.5Z",
  inconclusive: "M0 -6L6 0L0 6L-6 0Z",
  environment: "M0 -6L6 0L0 6L-6 0Z",
};
const dot = "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0Z";

// A drawing at a share of the width that does not stretch with it.
function at(place: number, ...children: Element[]): SVGElement {
  return svg("svg", { x: share(place), y: "50%", overflow: "visible", width: 1, height: 1 }, ...children);
}

function vertical(place: number, name: string): SVGElement {
  return svg("line", { x1: share(place), x2: share(place), y1: 0, y2: "100%", class: name });
}

function marks(row: ComparisonRow, { lo, mid, hi, margin }: Effect, axis: Axis): SVGElement[] {
  const [from, to] = [place_on(axis, -margin), place_on(axis, margin)];
  const inside = (value: number) => value >= axis.lo && value <= axis.hi;
  const shape = (value: number, d: string, name = "point") =>
    at(place_on(axis, value), svg("path", { d, class: name }));
  return [
    svg("rect", { x: share(from), width: share(to - from), y: 0, height: "100%", class: "band" }),
    vertical(from, "margin"),
    vertical(to, "margin"),
    vertical(place_on(axis, 0), "zero"),
    svg("line", { x1: share(place_on(axis, lo)), x2: share(place_on(axis, hi)), y1: "50%", y2: "50%", class: "range" }),
    ...[lo, hi].filter(inside).map((end) => shape(end, "M0 -5V5", "range")),
    ...(hi > axis.hi ? [shape(hi, "M-12 -6L0 0L-12 6Z")] : []),
    ...(lo < axis.lo ? [shape(lo, "M12 -6L0 0L12 6Z")] : []),
    ...(inside(mid) ? [shape(mid, shapes[row.verdict] ?? dot)] : []),
  ];
}

function in_words(row: ComparisonRow, { lo, hi, margin }: Effect): string {
  const standing =
    lo > margin
      ? "all of it beyond the margin"
      : hi < -margin
        ? "all of it better than the margin"
        : hi <= margin
          ? "within the margin"
          : "reaches beyond the margin";
  return `${interval_level(row)} ${interval_of(row)}, ${standing} of ±${margin_of(row)}`;
}

// The reason stands where there is no interval.
function drawing(row: ComparisonRow, axis: Axis): Element {
  const effect = effect_of(row);
  return effect
    ? svg("svg", { class: "marks", role: "img", "aria-label": in_words(row, effect) }, ...marks(row, effect, axis))
    : el("span", "of-reason faint", printable(row.reason, 300) || "no interval");
}

function line(entry: Entry, row: ComparisonRow, name: string, axis: Axis, open: (entry: Entry) => void): HTMLElement {
  const whole = printable(entry.case, 300);
  const link = el("a", { attributes: { href: case_link(entry), title: whole } }, name_of(name));
  link.addEventListener("click", (event) => {
    event.preventDefault();
    open(entry);
  });
  return el(
    "li",
    row.verdict,
    verdict_badge(row.verdict),
    el("span", "of-case", link),
    el("strong", "of-change", row.ratio === null ? "" : change_of(row)),
    drawing(row, axis),
  );
}

function scale({ axis, mirrored }: { axis: Axis; mirrored: boolean }): HTMLElement {
  const label = (tick: number) => {
    const text = `${tick > 1e-12 ? "+" : tick < -1e-12 ? "−" : ""}${Number(Math.abs(tick * 100).toPrecision(4))} %`;
    const one = el("span", null, text);
    one.style.left = share(place_on(axis, tick));
    return one;
  };
  return el(
    "div",
    { class: "scale", attributes: { "aria-hidden": true } },
    el("div", "ticks", ...axis.ticks.map(label)),
    el(
      "div",
      "ends",
      el("span", null, "← better"),
      el("span", null, mirrored ? "worse (more is better: mirrored) →" : "worse →"),
    ),
  );
}

function caption(rows: readonly ComparisonRow[], shortened: boolean): string {
  const levels = new Set(rows.map(interval_level));
  const margins = new Set(rows.map((row) => margin_of(row)));
  return (
    `Bar: ${levels.size === 1 ? [...levels][0] : "interval"} of the change. ` +
    `Band: the margin${margins.size === 1 ? `, ±${[...margins][0]}` : ", each case's own"}.` +
    (shortened ? " Names leave out what all of them share." : "")
  );
}

// null where nothing can be drawn.
export function worst_picture(
  entries: readonly Entry[],
  scope: string,
  open: (entry: Entry) => void,
): HTMLElement | null {
  const { entries: shown, results, axis } = worst_of(entries);
  if (!axis) return null;
  const rows = shown.flatMap((entry) => (effect_of(entry.row) && entry.row ? [entry.row] : []));
  const mirrored = rows.some((row) => row.direction === "higher");
  const metrics = new Set(entries.map((entry) => entry.metric)).size > 1;
  const whole = shown.map((entry) => printable(entry.case, 200));
  const short = short_names(shown.map((entry) => entry.case));
  const shortened = short.some((name, at) => name.length < (whole[at] ?? "").length);
  const names = (shortened ? short : whole).map((name, at) =>
    metrics ? `${name} ${printable(shown[at]?.metric ?? "", 60)}` : name,
  );
  const title =
    shown.length === results
      ? `All ${results} results, worst first`
      : `The worst ${shown.length} of ${results} results`;
  const id = `${scope}worst-title`;
  return el(
    "figure",
    { class: "worst-cases", attributes: { "aria-labelledby": id } },
    el("h2", { class: "small-heading", attributes: { id } }, title),
    el("ol", null, ...shown.map((entry, at) => line(entry, entry.row as ComparisonRow, names[at] ?? "", axis, open))),
    scale({ axis, mirrored }),
    el("figcaption", "faint", caption(rows, shortened)),
  );
}
