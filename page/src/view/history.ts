// A history: the answer, the causes of lasting changes, then a line a series, those that got worse first. A page may hold
// many thousands of series, so lines are made as they are asked for, and points are unpacked when a line opens.

import { change, counted, printable } from "../format";
import type { Cause, History } from "../history_data";
import { shape } from "./badge";
import { fields_of } from "./case_link";
import { pairs } from "./case_panel";
import { classes, signs } from "./contents";
import { el, name_of, names_of, prose } from "./dom";
import { Names, SeriesLine } from "./series_line";

const lines_at_once = 100;
const causes_at_once = 20;
const members_at_once = 8;
const opened_at_first = 3;
const charts_on_paper = 24;

export class HistoryView {
  readonly sections: HTMLElement[];
  readonly place: HTMLElement; // of the list
  private readonly names: Names;
  private readonly lines = new Map<number, SeriesLine>();
  private readonly list = el("div");
  private readonly told = el("p", { class: "faint", attributes: { role: "status" } });
  private readonly more = el("button", { attributes: { type: "button" } }, `Show ${lines_at_once} more`);
  private readonly search = el("input", {
    attributes: { type: "search", placeholder: "case, metric, finding …", autocomplete: "off", spellcheck: "false" },
  });
  private words: string[] | null = null; // of each series, once somebody searches
  private fitting: number[];
  private shown = lines_at_once;
  private readonly one_device: boolean;

  // `scope` begins every id where the history is one of several; "" where it is alone.
  constructor(
    private readonly data: History,
    private readonly scope: string,
  ) {
    const { rows, causes, suite, notes, alerts } = data.head;
    this.names = new Names(data, scope === "" ? "" : suite);
    this.fitting = rows.map((_, at) => at);
    this.one_device = new Set(rows.map((row) => row.device)).size <= 1;
    this.search.id = `${scope}filter`;
    this.search.addEventListener("input", () => this.filter());
    this.more.addEventListener("click", () => this.show(this.shown + lines_at_once));
    this.place = this.section(
      "series",
      `All ${counted(rows.length, "series", "series")}`,
      el("div", "filters", el("label", { attributes: { for: this.search.id } }, "Filter"), this.search),
      el("div", "card", this.list, this.told),
      el("p", null, this.more),
    );
    this.sections = [
      this.answer(),
      ...(causes.length > 0 ? [this.section("changes", "Lasting changes, the newest first", ...this.causes())] : []),
      this.place,
      ...(alerts ? [this.section("alerts", `Alerts since ${printable(alerts.since, 40)}`, list_of(alerts.lines))] : []),
      ...(notes.length > 0 ? [this.section("notes", "Records that were passed over", list_of(notes))] : []),
    ];
    this.show(lines_at_once);
    if (scope === "") for (let at = 0; at < opened_at_first; ++at) this.line(at)?.open();
  }

  private section(name: string, title: string, ...children: HTMLElement[]): HTMLElement {
    const id = `${this.scope}${name}-title`;
    return el(
      "section",
      { attributes: { id: `${this.scope}${name}`, "aria-labelledby": names_of(this.scope, id) } },
      el("h2", { attributes: { id } }, title),
      ...children,
    );
  }

  private answer(): HTMLElement {
    const { head } = this.data;
    const id = `${this.scope}verdict-title`;
    const tone = classes[head.tone] ?? "unchanged";
    const attributes = { id: `${this.scope}verdict`, "aria-labelledby": names_of(this.scope, id) };
    return el(
      "section",
      { class: `verdict ${tone}`, attributes },
      this.scope === ""
        ? null
        : el("p", { class: "suite-name", attributes: { id: `${this.scope}name` } }, printable(head.suite, 80)),
      el(
        this.scope === "" ? "h1" : "h2",
        { class: "answer", attributes: { id } },
        el("span", { class: "sign", attributes: { "aria-hidden": true } }, signs[head.tone] ?? "="),
        el("span", "rest", printable(head.headline, 400)),
      ),
      pairs(head.facts.map(([name, value]) => [printable(name, 40), printable(value, 400)])),
    );
  }

  // --- causes -----------------------------------------------------------------------------------------

  private causes(): HTMLElement[] {
    const { causes } = this.data.head;
    const list = (some: readonly Cause[]) => el("ol", "causes", ...some.map((one) => this.cause(one)));
    const older = causes.slice(causes_at_once);
    const first = list(causes.slice(0, causes_at_once));
    return older.length === 0 ? [first] : [first, fold_of(counted(older.length, "older change"), () => list(older))];
  }

  private cause({ worse, before, unmeasured, members }: Cause): HTMLElement {
    const [largest] = members;
    const first = this.data.commits[largest?.[1] ?? -1];
    const list = (some: typeof members) => el("ul", null, ...some.map((one) => this.member(one)));
    const rest = members.slice(members_at_once);
    return el(
      "li",
      "card",
      el(
        "p",
        null,
        shape(worse ? "▲" : "▼", `${worse ? "worse" : "better"} ${change(largest?.[2])}`, worse ? "regressed" : "improved"),
        " ",
        ...(unmeasured > 0 ? ["after ", this.names.commit(before), " up to "] : []),
        this.names.commit(first?.hash ?? ""),
        ` ${first?.date.slice(0, 10) ?? ""} `,
        el("bdi", null, printable(first?.subject ?? "", 200)),
        unmeasured > 0 ? `, ${counted(unmeasured, "commit")} not measured` : "",
        `; ${counted(members.length, "series", "series")}:`,
      ),
      list(members.slice(0, members_at_once)),
      rest.length > 0 ? fold_of(`${rest.length} more`, () => list(rest)) : null,
    );
  }

  private member([at, place, ratio, verdict]: Cause["members"][number]): HTMLElement | null {
    const [row, commit] = [this.data.head.rows[at], this.data.commits[place]];
    if (!row || !commit) return null;
    const href = this.names.address(row, commit.hash);
    return el(
      "li",
      null,
      el("a", { attributes: { href } }, name_of(printable(row.case, 300))),
      ` ${printable(row.metric, 60)} ${change(ratio)} `,
      this.names.verdict(verdict, commit.record),
    );
  }

  // --- the list ---------------------------------------------------------------------------------------

  private line(at: number): SeriesLine | undefined {
    const [found, row] = [this.lines.get(at), this.data.head.rows[at]];
    if (found || !row) return found;
    const made = new SeriesLine(this.names, at, row, this.one_device ? "" : row.device, (address) =>
      window.history.replaceState(null, "", address || location.pathname + location.search),
    );
    this.lines.set(at, made);
    return made;
  }

  private show(wanted: number): void {
    this.shown = wanted;
    const some = this.fitting.slice(0, wanted);
    this.list.replaceChildren(...some.flatMap((at) => this.line(at)?.element ?? []));
    const [fitting, all] = [this.fitting.length, this.data.head.rows.length];
    const fit = fitting === all ? "" : ` that fit the filter, of ${counted(all, "series", "series")}`;
    this.told.textContent =
      fitting === 0
        ? "No series fits the filter."
        : some.length < fitting
          ? `The first ${some.length} of ${counted(fitting, "series", "series")}${fit}.`
          : fit && `${counted(fitting, "series", "series")}${fit}.`;
    this.more.hidden = some.length === fitting;
  }

  private filter(): void {
    this.words ??= this.data.head.rows.map((row) =>
      `${row.case} ${row.metric} ${row.device} ${row.finding || "no change"}`.toLowerCase(),
    );
    const wanted = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.fitting = this.words.flatMap((text, at) => (wanted.every((word) => text.includes(word)) ? [at] : []));
    this.show(lines_at_once);
  }

  focus_filter(): void {
    this.search.focus();
    this.search.select();
  }

  // Opens the series that an address names, at its commit. False where it names none of this history.
  follow(hash: string): boolean {
    const fields = fields_of(hash);
    if (!fields || (fields.has("suite") && fields.get("suite") !== this.data.head.suite)) return false;
    const names = (["case", "metric", "device"] as const).filter((name) => fields.has(name));
    const at = this.data.head.rows.findIndex((row) => names.every((name) => fields.get(name) === row[name]));
    const row = this.data.head.rows[at];
    if (!row) return false;
    if (!this.fitting.slice(0, this.shown).includes(at)) {
      this.search.value = row.case;
      this.filter();
      this.show(Math.max(lines_at_once, this.fitting.indexOf(at) + 1));
    }
    const line = this.line(at);
    line?.open(fields.get("commit") ?? "");
    line?.element.scrollIntoView({ block: "start" });
    return true;
  }

  // Paper has the charts of the first lines and of the opened ones: nobody wants ten thousand.
  unfold(): void {
    for (const at of this.fitting.slice(0, Math.min(this.shown, charts_on_paper))) this.line(at)?.draw();
  }
}

function list_of(lines: readonly string[]): HTMLElement {
  return el("ul", "card", ...lines.map((line) => el("li", null, prose(printable(line, 600)))));
}

// Its content is made when somebody opens it.
function fold_of(name: string, make: () => HTMLElement): HTMLElement {
  const summary = el("summary", null, name);
  const fold = el("details", null, summary);
  summary.addEventListener("click", () => fold.childElementCount === 1 && fold.append(make()), { once: true });
  return fold;
}
