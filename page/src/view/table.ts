// The table of all cases: sorted by any column, filtered by words and verdicts, walked with the arrow
// keys; a row opens in place. Rows that ask for nothing (unchanged, skipped, informative ...) are folded, a group each:
// a filter, a link and paper unfold them. All rows are in the document, so that printing and tests work on them; fixed
// column widths keep a thousand of them fast.

import { counted, printable, verdict_words, worst_first } from "../format";
import { fold_of } from "../plots/worst_cases";
import type { Entry } from "../report";
import type { Verdict } from "../reports";
import { verdict_badge, outcome_badge, outcomes_worst_first } from "./badge";
import { type Column, words_of } from "./columns";
import { comparison_columns } from "./comparison_columns";
import { announce, el, name_of, names_of } from "./dom";
import { dispose_within } from "./figure";
import { run_columns } from "./run_columns";

interface Row {
  entry: Entry;
  element: HTMLTableRowElement;
  button: HTMLButtonElement;
  words: string;
  state: string;
  fold: Fold | null; // that it belongs to
  detail: HTMLTableRowElement | null;
}

interface Fold {
  name: string;
  body: HTMLTableSectionElement;
  head: HTMLTableCellElement;
  button: HTMLButtonElement;
  open: boolean;
}

const fold_names = ["not_worse", "unchanged", "identical", "looked_at", "skipped", "informative"];

export class CaseTable {
  readonly element: HTMLElement;
  private readonly columns: Column[];
  private readonly body = el("tbody");
  private readonly folds = new Map<string, Fold>();
  private readonly rows: Row[];
  private readonly heads = new Map<string, HTMLTableCellElement>();
  private readonly count = el("p", { class: "count faint" });
  private readonly search = el("input", {
    attributes: {
      type: "search",
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
    scope: string,
    private readonly panel: (entry: Entry, close: () => void) => HTMLElement,
    private readonly opened: (entry: Entry | null) => void,
  ) {
    this.columns = compared ? comparison_columns(entries) : run_columns(entries);
    for (const name of fold_names)
      if (entries.some((entry) => fold_of(entry) === name)) this.folds.set(name, this.make_fold(name));
    this.rows = entries.map((entry) => this.make_row(entry));
    const head = el("tr", null, ...this.columns.map((column) => this.make_head(column)));
    const title = `${scope}cases-title`;
    this.search.id = `${scope}filter`;
    const table = el(
      "table",
      { class: "cases", attributes: { "aria-labelledby": title } },
      el("caption", "offscreen", "One row a case and metric. A case's button opens its evidence below the row."),
      el(
        "colgroup",
        null,
        ...this.columns.map((column) => el("col", `${classes(column)}${column.drawn ? " drawn" : ""}`)),
      ),
      el("thead", null, head),
      this.body,
      ...[...this.folds.values()].map((fold) => fold.body),
    );
    this.place_rows();
    const first = this.rows[0];
    if (first) first.button.tabIndex = 0;
    table.addEventListener("keydown", (event) => this.key(event));
    this.search.addEventListener("input", () => this.filter());
    addEventListener("resize", () => this.fit_spans());
    this.element = el(
      "section",
      { attributes: { id: `${scope}cases`, "aria-labelledby": names_of(scope, title) } },
      el("div", "section-head", el("h2", { attributes: { id: title } }, "Cases"), this.count),
      el(
        "div",
        "filters",
        el("label", { attributes: { for: this.search.id } }, "Filter"),
        this.search,
        this.make_chips(compared),
      ),
      table,
      el("p", "faint hint", "Keys: ↑ ↓ move, Enter opens, Escape closes, / filters."),
    );
    this.filter(false);
    requestAnimationFrame(() => this.fit_spans());
  }

  // --- making -----------------------------------------------------------------------------------------

  private make_head(column: Column): HTMLTableCellElement {
    const button = el(
      "button",
      { attributes: { type: "button", title: column.title } },
      el("span", "label", column.label),
      el("span", { class: "arrow", attributes: { "aria-hidden": true } }),
    );
    button.addEventListener("click", () => this.sort_by(column.key));
    const cell = el("th", { class: classes(column), attributes: { scope: "col" } }, button);
    this.heads.set(column.key, cell);
    return cell;
  }

  private make_fold(name: string): Fold {
    const button = el("button", { class: "unfold", attributes: { type: "button", "aria-expanded": "false" } });
    const head = el("th", { attributes: { scope: "rowgroup", colspan: this.columns.length } }, button);
    const body = el("tbody", "fold", el("tr", "fold-head", head));
    const fold = { name, body, head, button, open: false };
    button.addEventListener("click", () => {
      fold.open = !fold.open;
      this.filter(false);
    });
    return fold;
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
      fold: this.folds.get(fold_of(entry) ?? "") ?? null,
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
    this.place_rows();
    announce(`Sorted by ${column.label}, ${this.sort.descending ? "descending" : "ascending"}`);
  }

  // Each below the head of its fold, in the order of the rows.
  private place_rows(): void {
    for (const row of this.rows)
      (row.fold?.body ?? this.body).append(...(row.detail ? [row.element, row.detail] : [row.element]));
  }

  private get filtering(): boolean {
    return this.chosen.size > 0 || this.search.value.trim() !== "";
  }

  private shown(row: Row): boolean {
    return !row.element.hidden && (!row.fold || row.fold.open || this.filtering);
  }

  private filter(aloud = true): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of this.rows) {
      const fits =
        (this.chosen.size === 0 || this.chosen.has(row.state)) && words.every((word) => row.words.includes(word));
      row.element.hidden = !fits;
      if (row.detail) row.detail.hidden = !fits;
    }
    for (const fold of this.folds.values()) this.tell_fold(fold);
    this.keep_one_stop();
    this.tell_count(aloud);
  }

  private tell_fold({ name, body, button, open }: Fold): void {
    const fitting = this.rows.filter((row) => row.fold?.name === name && !row.element.hidden).length;
    const unfolded = open || this.filtering;
    body.classList.toggle("folded", !unfolded);
    body.hidden = fitting === 0;
    button.setAttribute("aria-expanded", String(unfolded));
    button.textContent = `${fitting} ${verdict_words[name as Verdict] ?? name.replace("_", " ")}`;
  }

  private tell_count(aloud: boolean): void {
    const fitting = this.rows.filter((row) => !row.element.hidden).length;
    const folded = fitting - this.rows.filter((row) => this.shown(row)).length;
    const all = counted(this.rows.length, "row");
    const some = fitting === this.rows.length ? all : `${fitting} of ${all}`;
    const text = folded > 0 ? `${some}, ${folded} folded` : some;
    this.count.textContent = fitting === 0 ? `${text}: no case fits the filter` : text;
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
    this.fit_spans();
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

  // An opened row and the head of a fold span the columns that are there: one more would widen the table.
  private fit_spans(): void {
    const there = [...this.heads.values()].filter((head) => getComputedStyle(head).display !== "none").length;
    const cells = this.rows.flatMap((row) => row.detail?.firstElementChild ?? []);
    for (const cell of [...cells, ...[...this.folds.values()].map((fold) => fold.head)])
      cell.setAttribute("colspan", String(there));
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
    this.element.closest("details")?.setAttribute("open", "");
    if (row.fold) row.fold.open = true;
    if (row.element.hidden) this.show_all();
    else this.filter(false);
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
