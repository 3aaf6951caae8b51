// A plot on the page: its picture, what it shows in words, and its numbers as a table. Pictures are made
// when they come near the screen (or go to print) and made anew when the width or the theme changes.

import { type EChartsType, init } from "../echarts";
import { printable } from "../format";
import { type Drawn, type Hovered, is_missing, type Look, type Plot } from "../plots/plot";
import { dark, light } from "../theme";
import { el, fresh_id, prose, scrolling, table } from "./dom";
import { theme_is_dark } from "./theme_switch";

export type Draw = (look: Look) => Drawn;

type Level = "h2" | "h3" | "h4";

const paper_width = 640; // fits A4 and Letter upright

class Picture {
  private chart: EChartsType | null = null;
  private drawn_width = 0;
  wanted = false; // came near the screen

  constructor(
    readonly place: HTMLElement,
    private readonly draw: Draw,
    private readonly chosen: ((item: Hovered) => void) | null,
  ) {}

  show(): void {
    const width = printing ? Math.min(this.place.clientWidth, paper_width) : this.place.clientWidth;
    if (width === 0) return;
    const plot = this.draw({ theme: theme_is_dark() && !printing ? dark : light, width });
    if (is_missing(plot)) return;
    this.place.style.height = `${plot.height}px`;
    if (!this.chart) {
      this.chart = init(this.place, null, { renderer: "svg" });
      this.chart.on("click", (item) => this.chosen?.(item as unknown as Hovered));
    }
    this.chart.resize({ width, height: plot.height });
    this.chart.setOption(plot.option, { notMerge: true });
    this.drawn_width = width;
  }

  resized(): void {
    if (this.wanted && !printing && Math.abs(this.place.clientWidth - this.drawn_width) > 1) this.show();
  }

  dispose(): void {
    this.chart?.dispose();
    this.chart = null;
  }
}

const pictures = new Map<Element, Picture>();

const near = new IntersectionObserver(
  (changes) => {
    for (const change of changes) {
      const picture = pictures.get(change.target);
      if (!change.isIntersecting || !picture || picture.wanted) continue;
      picture.wanted = true;
      picture.show();
    }
  },
  { rootMargin: "300px" },
);

const sizes = new ResizeObserver((changes) => {
  requestAnimationFrame(() => changes.forEach((change) => pictures.get(change.target)?.resized()));
});

let printing = false;

// All pictures, light, as wide as paper: until redraw_all(false).
export function redraw_all(for_paper = false): void {
  printing = for_paper;
  for (const picture of pictures.values()) {
    picture.wanted ||= printing;
    if (picture.wanted) picture.show();
  }
}

// Frees the pictures below an element that leaves the page.
export function dispose_within(parent: Element): void {
  for (const [place, picture] of pictures) {
    if (!parent.contains(place)) continue;
    near.unobserve(place);
    sizes.unobserve(place);
    picture.dispose();
    pictures.delete(place);
  }
}

export function missing_note(title: string, missing: string, remedy: string, level: Level): HTMLElement {
  return el(
    "div",
    "figure missing",
    el(level, null, title),
    el("p", null, missing),
    el("p", "faint", el("strong", null, "To get it: "), prose(remedy)),
  );
}

// `controls`: choices that belong to this plot, beside its title. `chosen` is told which mark was clicked.
export function figure(
  draw: Draw,
  level: Level,
  controls: Node[] = [],
  chosen: ((item: Hovered) => void) | null = null,
): HTMLElement {
  const probe = draw({ theme: light, width: 640 });
  if (is_missing(probe)) {
    const note = missing_note(probe.title, probe.missing, probe.remedy, level);
    if (controls.length > 0) note.querySelector(level)?.after(el("div", "controls", ...controls));
    return note;
  }
  const summary_id = fresh_id("summary");
  const place = el("div", {
    class: "picture",
    attributes: { role: "img", "aria-label": probe.title, "aria-describedby": summary_id },
  });
  place.style.height = `${probe.height}px`;
  const numbers_place = el("div", { attributes: { hidden: true } });
  const toggle = el("button", { class: "small", attributes: { type: "button", "aria-expanded": "false" } }, "Numbers");
  toggle.setAttribute("aria-label", `Numbers of “${probe.title}” as a table`);
  toggle.addEventListener("click", () => {
    const open = toggle.getAttribute("aria-expanded") !== "true";
    toggle.setAttribute("aria-expanded", String(open));
    numbers_place.hidden = !open;
    if (open && numbers_place.childElementCount === 0) numbers_place.append(numbers(probe));
  });
  const whole = el(
    "figure",
    "figure",
    el("div", "figure-head", el(level, null, probe.title), el("div", "controls", ...controls, toggle)),
    place,
    numbers_place,
    el(
      "figcaption",
      null,
      el("p", { attributes: { id: summary_id } }, probe.summary),
      ...probe.notes.map((note) => el("p", "faint", prose(note))),
    ),
  );
  pictures.set(place, new Picture(place, draw, chosen));
  near.observe(place);
  sizes.observe(place);
  return whole;
}

function numbers(plot: Plot): HTMLElement {
  const cells = plot.table.rows.map((row) => row.map((cell) => printable(cell, 400)));
  return scrolling(
    `Numbers of “${plot.title}”`,
    table(
      plot.table.columns.map((name) => printable(name, 80)),
      cells,
      { class: "numbers" },
    ),
  );
}
