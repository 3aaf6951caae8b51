// The page: reads the document in it, and builds the report once.

import type { PageDocument } from "./data";
import { decode, Unreadable } from "./decode";
import { printable } from "./format";
import { type Entry, entries_of, find_entry } from "./report";
import { case_panel } from "./view/case_panel";
import { el } from "./view/dom";
import { environment_section } from "./view/environment";
import { redraw_all } from "./view/figure";
import { suite_section } from "./view/suite";
import { CaseTable } from "./view/table";
import { theme_switch } from "./view/theme_switch";
import { case_link, verdict_section } from "./view/verdict";

const place = document.getElementById("page") as HTMLElement;

function header(page: PageDocument): HTMLElement {
  const jump = (id: string, label: string) => el("a", { attributes: { href: `#${id}` } }, label);
  return el(
    "header",
    "top",
    el("a", { class: "skip", attributes: { href: "#verdict" } }, "Skip to the verdict"),
    el(
      "div",
      "brand",
      el("strong", null, "harness"),
      " ",
      el("span", "faint", printable(page.current.report.suite.name, 60)),
    ),
    el(
      "nav",
      { attributes: { "aria-label": "Sections" } },
      jump("verdict", "Verdict"),
      jump("environment", "Environment"),
      jump("cases", "Cases"),
      jump("suite", "Suite"),
    ),
    theme_switch(() => redraw_all()),
  );
}

function footer(page: PageDocument): HTMLElement {
  return el(
    "footer",
    null,
    el(
      "p",
      "faint",
      `${printable(page.tool, 80)}. Every figure and plot is of measured data; raw samples stay in the records. Nothing on this page is fetched from or sent to anywhere.`,
    ),
  );
}

// #case=ID&metric=M
function linked_entry(entries: readonly Entry[]): Entry | undefined {
  if (!location.hash.startsWith("#case=")) return undefined;
  const fields = new URLSearchParams(location.hash.slice(1).replace(/\+/g, "%2B"));
  return find_entry(entries, fields.get("case") ?? "", fields.get("metric"));
}

function build(page: PageDocument): void {
  const entries = entries_of(page);
  const panel = (entry: Entry, close: () => void) => case_panel(entry, close, page.comparison);
  const table = new CaseTable(entries, page.comparison !== null, panel, (entry) =>
    history.replaceState(null, "", entry ? case_link(entry) : location.pathname + location.search),
  );
  place.replaceChildren(
    header(page),
    el(
      "main",
      null,
      verdict_section(page, entries, (entry) => table.reveal(entry)),
      environment_section(page),
      table.element,
      suite_section(page),
    ),
    footer(page),
    el("div", { class: "offscreen", attributes: { id: "announcements", role: "status", "aria-live": "polite" } }),
  );
  const follow = () => {
    const entry = linked_entry(entries);
    if (entry) table.reveal(entry);
  };
  addEventListener("hashchange", follow);
  addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.matches("input, select, textarea");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    table.focus_filter();
  });
  addEventListener("beforeprint", () => redraw_all(true));
  addEventListener("afterprint", () => redraw_all());
  follow();
}

function start(): void {
  try {
    build(decode(document.getElementById("harness-data")?.textContent ?? ""));
  } catch (problem) {
    const words = problem instanceof Unreadable ? problem.message : `The report could not be shown: ${String(problem)}`;
    place.replaceChildren(
      el(
        "main",
        null,
        el(
          "section",
          { class: "verdict failed", attributes: { role: "alert" } },
          el("h1", null, "No report"),
          el("p", null, printable(words, 600)),
        ),
      ),
    );
    if (!(problem instanceof Unreadable)) console.error(problem);
  }
  document.documentElement.dataset["ready"] = "yes";
  performance.mark("harness-interactive");
}

start();
