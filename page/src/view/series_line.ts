// A series of a history: a line that opens in place, with its chart over the commits, its changes, and the commit that was
// clicked with the verdict of its case.

import { change, change_interval, printable, range_with_unit, verdict_words, with_unit } from "../format";
import type { CaseSeries, History, SeriesRow } from "../history_data";
import { commit_at, history, verdict_at } from "../plots/history";
import type { Verdict } from "../reports";
import { shape, verdict_badge } from "./badge";
import { case_link } from "./case_link";
import { pairs } from "./case_panel";
import { classes } from "./contents";
import { type Child, command, copy_button, el, name_of, prose, scrolling, svg, table } from "./dom";
import { figure, missing_note } from "./figure";

// Names the commits, verdicts and series of a history, and leads to them.
export class Names {
  // `suite`: "" where the history is alone on its page.
  constructor(
    readonly data: History,
    private readonly suite: string,
  ) {}

  address(row: SeriesRow, commit = ""): string {
    const { case: name, metric, device } = row;
    return case_link({ case: name, metric, device, suite: this.suite, commit });
  }

  commit(hash: string): HTMLElement {
    const text = el("code", null, printable(hash.slice(0, 10)));
    return linked(this.data.head.links.commit, "{commit}", hash, text);
  }

  verdict(verdict: string, record: string): HTMLElement {
    const told = Object.hasOwn(verdict_words, verdict)
      ? verdict_badge(verdict as Verdict)
      : el("span", null, verdict === "" ? "not judged" : printable(verdict, 40));
    return linked(this.data.head.links.record, "{record}", record, told);
  }
}

// A page elsewhere, where the command was given its address.
function linked(url: string, place: string, value: string, child: HTMLElement): HTMLElement {
  if (!/^https?:\/\//.test(url)) return child;
  return el("a", { attributes: { href: url.replaceAll(place, () => encodeURIComponent(value)) } }, child);
}

function badge_of(row: SeriesRow): HTMLElement {
  const sign = row.tone === "bad" || row.tone === "doubtful" ? "▲" : row.tone === "good" ? "▼" : "=";
  return shape(sign, printable(row.finding || "no change", 40), classes[row.tone] ?? "unchanged");
}

// The terminal's trend as a line.
function small_trend(trend: string): SVGElement {
  const levels = [...trend].map((letter) => Math.max(0, "▁▂▃▄▅▆▇█".indexOf(letter)));
  const last = levels.length - 1;
  const [x, y] = [(at: number) => 2 + 3 * at, (at: number) => 16 - 2 * (levels[at] ?? 0)];
  const path = levels.map((_, at) => `${at === 0 ? "M" : "L"}${x(at)} ${y(at)}`).join("");
  return svg(
    "svg",
    { class: "small-trend", width: x(last) + 3, height: 18, "aria-hidden": "true" },
    svg("path", { d: path }),
    svg("circle", { cx: x(last), cy: y(last), r: 2 }),
  );
}

export class SeriesLine {
  readonly element: HTMLDetailsElement;
  private choose: ((hash: string) => void) | null = null; // once it is drawn

  // `told`: somebody opened it, closed it, or chose a commit, and the address to it is this.
  constructor(
    private readonly names: Names,
    private readonly at: number, // of the rows
    private readonly row: SeriesRow,
    device: string, // "" where all series are of one
    private readonly told: (address: string) => void,
  ) {
    const interval = row.interval ? ` (${change_interval(row.interval)})` : "";
    const since = row.ratio === null ? "" : `${change(row.ratio)} since the anchor${interval}`;
    const summary = el(
      "summary",
      null,
      badge_of(row),
      el("span", "of-series", name_of(printable(row.case, 300)), ` ${printable(row.metric, 60)}`),
      row.trend === "" ? el("span") : small_trend(row.trend),
      el("span", "of-newest", with_unit(row.newest, row.unit)),
      el("span", "faint", [since, device && printable(device, 80)].filter(Boolean).join(", ")),
    );
    this.element = el("details", { class: "series-fold" }, summary);
    summary.addEventListener("click", () => {
      const opens = !this.element.open;
      if (opens) this.draw();
      this.told(opens ? names.address(row) : "");
    });
  }

  // `commit`: the hash of that which it shows; "": of its last change.
  open(commit = ""): void {
    this.draw();
    this.element.open = true;
    if (commit !== "") this.choose?.(commit);
  }

  draw(): void {
    if (this.choose) return;
    const points = this.names.data.points_of(this.at);
    if (points) return this.draw_series({ ...this.row, ...points });
    this.choose = () => undefined;
    const pattern = `'${printable(this.row.case, 300).replaceAll("'", "'\\''")}'`;
    const remedy = `\`harness history ${pattern} --report html=history.html\``;
    const missing = "This page has no room for the points of this series.";
    this.element.append(missing_note(printable(this.row.metric, 60), missing, remedy, "h3"));
  }

  private draw_series(series: CaseSeries): void {
    const { commits } = this.names.data;
    const hashes = series.at.map((_, point) => commit_at(series, commits, point).hash);
    const card = el("div", { class: "commit-card", attributes: { "aria-live": "polite" } });
    const which = el("select", null, ...hashes.map((_, point) => this.option(series, point)).reverse());
    const show = (point: number) => {
      card.replaceChildren(this.commit_card(series, point));
      which.value = String(point);
    };
    const choose = (point: number) => {
      show(point);
      this.told(this.names.address(series, hashes[point]));
    };
    // Points only: a line at a change has no place of its own.
    const picture = figure((look) => history(series, commits, look), "h3", [], (item) => {
      if (item.seriesName === "commit") choose(Math.round(item.value[0]));
    });
    which.addEventListener("change", () => choose(Number(which.value)));
    this.choose = (hash) => hashes.includes(hash) && show(hashes.indexOf(hash));
    show(series.changes.at(-1)?.index ?? hashes.length - 1);
    const sentences = series.told.map((line) => el("li", null, prose(printable(line, 600))));
    this.element.append(
      el(
        "div",
        "opened-series",
        sentences.length > 0 ? el("ul", null, ...sentences) : null,
        picture,
        el("p", "choose-commit", el("label", null, "Commit: ", which)),
        card,
        this.change_table(series),
      ),
    );
  }

  private option(series: CaseSeries, point: number): HTMLElement {
    const commit = commit_at(series, this.names.data.commits, point);
    const parts = [commit.hash.slice(0, 10), commit.date.slice(0, 10), verdict_at(series, point)];
    const text = [...parts, printable(commit.subject, 60)].filter(Boolean).join(" ");
    return el("option", { attributes: { value: point } }, text);
  }

  private judging(series: CaseSeries, point: number): string {
    const id = (at: number) => commit_at(series, this.names.data.commits, at).record.slice(0, 8);
    return point > 0
      ? `harness compare --baseline ${id(point - 1)} --current ${id(point)}`
      : `harness report ${id(point)}`;
  }

  private commit_card(series: CaseSeries, point: number): HTMLElement {
    const commit = commit_at(series, this.names.data.commits, point);
    const [value, low, high] = [series.center[point], series.low[point], series.high[point]];
    const interval = low == null ? "" : `, 99 % interval: ${range_with_unit(low, high, series.unit)}`;
    const to = (name: string, other: number | undefined): [string, string][] =>
      value === undefined || other === undefined ? [] : [[name, change(value / other)]];
    return el(
      "div",
      "card",
      el(
        "div",
        "panel-head",
        this.names.verdict(series.verdicts[point] ?? "", commit.record),
        el(
          "p",
          "case-name",
          this.names.commit(commit.hash),
          ` ${commit.date.slice(0, 10)} `,
          el("bdi", null, printable(commit.subject, 200)),
        ),
        el(
          "div",
          "controls",
          copy_button("Copy link", () => location.href.split("#")[0] + this.names.address(series, commit.hash)),
        ),
      ),
      pairs([
        ["value", with_unit(value, series.unit) + interval],
        ...to("to the measured commit before", series.center[point - 1]),
        ...to("to the anchor", series.anchor?.center),
        ["record", printable(commit.record, 60)],
      ]),
      el("p", null, point > 0 ? "Judge it against the measured commit before:" : "Its report:"),
      command(this.judging(series, point)),
    );
  }

  private change_table(series: CaseSeries): HTMLElement | null {
    if (series.changes.length === 0) return null;
    const rows = series.changes.map(({ index, ratio, worse }): Child[] => {
      const commit = commit_at(series, this.names.data.commits, index);
      const href = this.names.address(series, commit.hash);
      return [
        el("a", { attributes: { href } }, `${worse ? "▲" : "▼"} ${change(ratio)}`),
        this.names.commit(commit.hash),
        `${commit.date.slice(0, 10)} ${printable(commit.subject, 120)}`,
        this.names.verdict(series.verdicts[index] ?? "", commit.record),
        el("code", null, this.judging(series, index)),
      ];
    });
    const columns = ["change", "first commit", "message", "verdict", "judge both records again"];
    return scrolling("Verdicts at the changes", table(columns, rows));
  }
}
