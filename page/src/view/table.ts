// The table of all cases: sorted by any column, filtered by words and verdicts, walked with the arrow
// keys; a row opens in place. All rows are in the document, so that finding, printing and screen readers
// work on them; fixed column widths keep a thousand of them fast.

import { counted, printable, verdict_words, worst_first } from "../format";
import type { Entry } from "../report";
import { verdict_badge, outcome_badge, outcomes_worst_first } from "./badge";
import { type Column, words_of } from "./columns";
import { comparison_columns } from "./comparison_columns";
import { announce, el, name_of } from "./dom";
import { dispose_within } from "./figure";
import { run_columns } from "./run_columns";

interface Row {
  entry: Entry;
  element: HTMLTableRowElement;
  button: HTMLButtonElement;
  words: string;
  state: string;
  detail: HTMLTableRowElement | null;
}

export class CaseTable {
  readonly element: HTMLElement;
  private readonly columns: Column[];
  private readonly body = el("tbody");
  private readonly rows: Row[];
  private readonly heads = new Map<string, HTMLTableCellElement>();
  private readonly count = el("p", { class: "count faint" });
  private readonly search = el("input", {
    attributes: {
      type: "search",
      id: "filter",
      placeholder: "case, metric, reason …",
      autocomplete: "off",
      spellcheck: "false",
    },
  });
  private readonly chosen = new Set<string>();
  private sort = { key: "", descending: false };

  constructor(
    entries: readonly Entry[],
    compared: boolean,
    private readonly panel: (entry: Entry, close: () => void) => HTMLElement,
    private readonly opened: (entry: Entry | null) => void,
  ) {
    this.columns = compared ? comparison_columns(entries) : run_columns(entries);
    this.rows = entries.map((entry) => this.make_row(entry));
    const head = el("tr", null, ...this.columns.map((column) => this.make_head(column)));
    this.body.append(...this.rows.map((row) => row.element));
    const table = el(
      "table",
      { class: "cases", attributes: { "aria-labelledby": "cases-title" } },
      el("caption", "offscreen", "One row a case and metric. A case's button opens its evidence below the row."),
      el(
        "colgroup",
        null,
        ...this.columns.map((column) => el("col", `${classes(column)}${column.drawn ? " drawn" : ""}`)),
      ),
      el("thead", null, head),
      this.body,
    );
    const first = this.rows[0];
    if (first) first.button.tabIndex = 0;
    this.body.addEventListener("keydown", (event) => this.key(event));
    this.search.addEventListener("input", () => this.filter());
    addEventListener("resize", () => this.fit_details());
    this.element = el(
      "section",
      { attributes: { id: "cases", "aria-labelledby": "cases-title" } },
      el("div", "section-head", el("h2", { attributes: { id: "cases-title" } }, "Cases"), this.count),
      el(
        "div",
        "filters",
        el("label", { attributes: { for: "filter" } }, "Filter"),
        this.search,
        this.make_chips(compared),
      ),
      table,
      el("p", "faint hint", "Keys: ↑ ↓ move, Enter opens, Escape closes, / filters."),
    );
    this.tell_count(false);
  }

  // --- making -----------------------------------------------------------------------------------------

  private make_head(column: Column): HTMLTableCellElement {
    const button = el(
      "button",
      { attributes: { type: "button", title: column.title } },
      column.label,
      el("span", { class: "arrow", attributes: { "aria-hidden": true } }),
    );
    button.addEventListener("click", () => this.sort_by(column.key));
    const cell = el("th", { class: classes(column), attributes: { scope: "col" } }, button);
    this.heads.set(column.key, cell);
    return cell;
  }

  private make_row(entry: Entry): Row {
    const button = el(
      "button",
      { class: "opener", attributes: { type: "button", "aria-expanded": "false", tabindex: -1 } },
      name_of(printable(entry.case, 300)),
    );
    const cells = this.columns.map((column) =>
      column.key === "case"
        ? el("th", { class: classes(column), attributes: { scope: "row" } }, button)
        : el("td", classes(column), column.cell(entry)),
    );
    const element = el("tr", null, ...cells);
    const row: Row = {
      entry,
      element,
      button,
      words: words_of(entry),
      state: entry.row?.verdict ?? entry.run?.outcome ?? "",
      detail: null,
    };
    element.addEventListener("click", (event) => {
      // A click anywhere in the row opens it, unless text was being selected.
      if ((event.target as Element).closest("button") !== button && getSelection()?.isCollapsed === false) return;
      this.toggle(row);
    });
    return row;
  }

  private make_chips(compared: boolean): HTMLElement {
    const states: string[] = compared ? worst_first : outcomes_worst_first;
    const chips = states.flatMap((state) => {
      const count = this.rows.filter((row) => row.state === state).length;
      if (count === 0) return [];
      const badge = compared
        ? verdict_badge(state as keyof typeof verdict_words)
        : outcome_badge(state as (typeof outcomes_worst_first)[number]);
      const chip = el(
        "button",
        { class: "chip", attributes: { type: "button", "aria-pressed": "false", "data-state": state } },
        badge,
        el("span", "chip-count", String(count)),
      );
      chip.addEventListener("click", () => {
        const on = !this.chosen.delete(state);
        if (on) this.chosen.add(state);
        chip.setAttribute("aria-pressed", String(on));
        this.filter();
      });
      return [chip];
    });
    return el(
      "div",
      { class: "chips", attributes: { role: "group", "aria-label": compared ? "Verdicts shown" : "Outcomes shown" } },
      ...chips,
    );
  }

  // --- sorting and filtering --------------------------------------------------------------------------

  sort_by(key: string): void {
    const column = this.columns.find((one) => one.key === key);
    if (!column) return;
    this.sort = { key, descending: this.sort.key === key ? !this.sort.descending : column.numeric };
    for (const [name, cell] of this.heads) {
      if (name === key) cell.setAttribute("aria-sort", this.sort.descending ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
    const turn = this.sort.descending ? -1 : 1;
    const keys = new Map(this.rows.map((row) => [row, column.sorts(row.entry)]));
    this.rows.sort((left, right) => {
      const [one, other] = [keys.get(left) ?? null, keys.get(right) ?? null];
      if (one === null || other === null) return one === other ? left.entry.id - right.entry.id : one === null ? 1 : -1;
      const order =
        typeof one === "number" && typeof other === "number"
          ? one - other
          : String(one).localeCompare(String(other), "en", { numeric: true });
      return order === 0 ? left.entry.id - right.entry.id : order * turn;
    });
    this.body.append(...this.rows.flatMap((row) => (row.detail ? [row.element, row.detail] : [row.element])));
    announce(`Sorted by ${column.label}, ${this.sort.descending ? "descending" : "ascending"}`);
  }

  private shown(row: Row): boolean {
    return !row.element.hidden;
  }

  private filter(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of this.rows) {
      const fits =
        (this.chosen.size === 0 || this.chosen.has(row.state)) && words.every((word) => row.words.includes(word));
      row.element.hidden = !fits;
      if (row.detail) row.detail.hidden = !fits;
    }
    this.keep_one_stop();
    this.tell_count(true);
  }

  private tell_count(aloud: boolean): void {
    const shown = this.rows.filter((row) => this.shown(row)).length;
    const text = shown === this.rows.length ? counted(shown, "row") : `${shown} of ${counted(this.rows.length, "row")}`;
    this.count.textContent = shown === 0 ? `${text}: no case fits the filter` : text;
    if (aloud) announce(`${text} shown`);
  }

  // One row is reached by Tab, the others by arrow keys.
  private keep_one_stop(): void {
    const visible = this.rows.filter((row) => this.shown(row));
    if (visible.some((row) => row.button.tabIndex === 0)) return;
    for (const row of this.rows) row.button.tabIndex = -1;
    if (visible[0]) visible[0].button.tabIndex = 0;
  }

  // --- walking and opening ----------------------------------------------------------------------------

  private key(event: KeyboardEvent): void {
    const target = event.target as Element;
    const at_row = this.rows.find((row) => row.element.contains(target) || row.detail?.contains(target));
    if (!at_row) return;
    if (event.key === "Escape" && at_row.detail) {
      event.preventDefault();
      this.close(at_row);
      at_row.button.focus();
      return;
    }
    if (!at_row.element.contains(target)) return;
    const visible = this.rows.filter((row) => this.shown(row));
    const at = visible.indexOf(at_row);
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: visible.length - 1,
      PageDown: at + 10,
      PageUp: at - 10,
    };
    const wanted = moves[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    const next = visible[Math.max(0, Math.min(visible.length - 1, wanted))];
    if (next) this.focus(next);
  }

  private focus(row: Row): void {
    for (const other of this.rows) other.button.tabIndex = -1;
    row.button.tabIndex = 0;
    row.button.focus();
  }

  private toggle(row: Row): void {
    if (row.detail) this.close(row);
    else this.open_row(row);
  }

  private open_row(row: Row): void {
    const cell = el("td", "detail-cell");
    row.detail = el("tr", "detail", cell);
    row.element.after(row.detail);
    this.fit_details();
    cell.append(
      this.panel(row.entry, () => {
        this.close(row);
        this.focus(row);
      }),
    );
    row.button.setAttribute("aria-expanded", "true");
    row.element.classList.add("open");
    this.opened(row.entry);
  }

  // An opened row spans the columns that are there: one more would widen the table.
  private fit_details(): void {
    const there = [...this.heads.values()].filter((head) => getComputedStyle(head).display !== "none").length;
    for (const row of this.rows) row.detail?.firstElementChild?.setAttribute("colspan", String(there));
  }

  private close(row: Row): void {
    if (!row.detail) return;
    dispose_within(row.detail);
    row.detail.remove();
    row.detail = null;
    row.button.setAttribute("aria-expanded", "false");
    row.element.classList.remove("open");
    this.opened(null);
  }

  // Opens a case from elsewhere (a link, the address), bringing it into view and focus.
  reveal(entry: Entry): void {
    const row = this.rows.find((one) => one.entry === entry);
    if (!row) return;
    if (!this.shown(row)) this.show_all();
    if (!row.detail) this.open_row(row);
    this.focus(row);
    row.element.scrollIntoView({ block: "start" });
  }

  private show_all(): void {
    this.search.value = "";
    this.chosen.clear();
    for (const chip of this.element.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", "false");
    this.filter();
  }

  focus_filter(): void {
    this.search.focus();
    this.search.select();
  }
}

function classes(column: Column): string {
  return `col-${column.key} rank-${column.rank}${column.numeric ? " numeric" : ""}`;
}
