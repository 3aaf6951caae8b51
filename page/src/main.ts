// The page: reads the documents in it, and builds each report once.

import type { ClaimsPage } from "./claims_data";
import type { Contents, PageDocument } from "./data";
import { decode, type Packed, Unreadable } from "./decode";
import { counted, printable } from "./format";
import { type Entry, entries_of } from "./report";
import { case_link, linked_entry } from "./view/case_link";
import { case_panel } from "./view/case_panel";
import { claims_section } from "./view/claims";
import { contents_section } from "./view/contents";
import { type Child, el } from "./view/dom";
import { environment_section } from "./view/environment";
import { redraw_all } from "./view/figure";
import { history_section } from "./view/history";
import { open_around, unfold_for_print } from "./view/folds";
import { pictures_section } from "./view/pictures";
import { suite_section } from "./view/suite";
import { CaseTable } from "./view/table";
import { theme_switch } from "./view/theme_switch";
import { verdict_section } from "./view/verdict";

const place = document.getElementById("page") as HTMLElement;

interface ReportView {
  sections: HTMLElement[];
  environment: HTMLElement;
  table: () => CaseTable;
  place: HTMLElement; // of the table
  entries: Entry[];
}

// `scope` begins every id of a report that is one of several; "" where it is alone. A chapter of the deep dive folds its
// table, which is made when it is opened, and leaves the environment to the end.
function report_view(page: PageDocument, scope: string, name: string, chapter = false): ReportView {
  const entries = entries_of(page, scope === "" ? "" : name);
  const panel = (entry: Entry, close: () => void) => case_panel(entry, close, page.comparison);
  const folded = el("details", "folded chapter-table", el("summary", null, `All ${counted(entries.length, "result")}`));
  let made: CaseTable | null = null;
  const table = () => {
    if (made) return made;
    made = new CaseTable(entries, page.comparison !== null, scope, panel, (entry) =>
      history.replaceState(null, "", entry ? case_link(entry) : location.pathname + location.search),
    );
    folded.append(made.element);
    return made;
  };
  folded.addEventListener("toggle", table);
  const verdict = verdict_section(page, entries, scope, (entry) => table().reveal(entry), chapter);
  const suite = suite_section(page, scope, !chapter);
  const environment = environment_section(page, scope, chapter ? printable(name, 60) : "");
  const sections = chapter ? [verdict, suite, folded] : [verdict, table().element, suite, environment];
  return { sections, environment, table, place: chapter ? folded : table().element, entries };
}

function header(brand: string, links: [string, string][]): HTMLElement {
  return el(
    "header",
    "top",
    el("a", { class: "skip", attributes: { href: "#verdict" } }, "Skip to the verdict"),
    el("div", "brand", el("strong", null, "harness"), " ", el("span", "faint", brand)),
    el(
      "nav",
      { attributes: { "aria-label": "Sections" } },
      ...links.map(([id, label]) => el("a", { attributes: { href: `#${id}` } }, label)),
    ),
    theme_switch(() => redraw_all()),
  );
}

function footer(page: PageDocument | undefined): HTMLElement {
  return el(
    "footer",
    null,
    el(
      "p",
      "faint",
      `${printable(page?.tool ?? "harness", 80)}. Every figure and plot is of measured data; raw samples stay in the records. Nothing on this page is fetched from or sent to anywhere.`,
    ),
  );
}

const sections_of_one: [string, string][] = [
  ["verdict", "Verdict"],
  ["cases", "Cases"],
  ["suite", "Suite"],
  ["environment", "Environment"],
];

// A section a report, below the contents. Where claims lead it is the deep dive: the claims, then a chapter a suite, then
// what all of them ran on.
function several(
  contents: Contents,
  claims: ClaimsPage | null,
  pages: readonly PageDocument[],
): { children: Child[]; views: ReportView[] } {
  const left = [...pages];
  const views: ReportView[] = [];
  const reports = contents.parts.map((part, at) => {
    if (claims && at === 0) return null;
    const page = part.page ? left.shift() : undefined;
    if (!page) return null;
    const view = report_view(page, `suite-${at + 1}-`, part.name, claims !== null);
    views.push(view);
    const attributes = { id: `suite-${at + 1}`, "aria-label": `Report of ${printable(part.name, 80)}` };
    return el("section", { class: "report", attributes }, ...view.sections);
  });
  const head = contents_section(contents, pages, claims !== null);
  if (!claims) return { children: [head, ...reports], views };
  const chapters = reports.filter((one) => one !== null);
  const environments = views.map((view) => view.environment);
  return {
    children: [
      head,
      claims_section(claims, "suite-1"),
      ...chapters,
      pictures_section(pages, chapters),
      ...environments,
    ],
    views,
  };
}

function build({ contents, claims, pages, history }: Packed): void {
  const [first] = pages;
  const alone = contents === null && first ? report_view(first, "", "") : null;
  const single = history
    ? [history_section(history)]
    : claims
      ? [claims_section(claims, "verdict")]
      : (alone?.sections ?? []);
  const all = contents ? several(contents, claims, pages) : { children: single, views: alone ? [alone] : [] };
  const suite = contents ? "" : printable(history?.suite ?? first?.current.report.suite.name ?? "", 60);
  const links: [string, string][] = contents
    ? [
        ["verdict", "Verdict"],
        ...contents.parts.flatMap((part, at): [string, string][] =>
          part.page ? [[`suite-${at + 1}`, printable(part.name, 40)]] : [],
        ),
        ...(claims ? [["pictures", "Pictures"] as [string, string]] : []),
      ]
    : history
      ? [["verdict", "History"]]
      : claims
        ? [["verdict", "Claims"]]
        : sections_of_one;
  place.replaceChildren(
    header(suite, links),
    el("main", null, ...all.children),
    footer(first),
    el("div", { class: "offscreen", attributes: { id: "announcements", role: "status", "aria-live": "polite" } }),
  );
  const follow = () => {
    for (const { entries, table } of all.views) {
      const entry = linked_entry(entries, location.hash);
      if (entry) return table().reveal(entry);
    }
    open_around(document.getElementById(location.hash.slice(1)));
  };
  addEventListener("hashchange", follow);
  addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.matches("input, select, textarea");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const near = all.views.find(({ place }) => place.getBoundingClientRect().bottom > 0) ?? all.views[0];
    event.preventDefault();
    const filtered = near?.table();
    filtered?.element.closest("details")?.setAttribute("open", "");
    filtered?.focus_filter();
  });
  addEventListener("beforeprint", () => {
    all.views.forEach(({ table }) => table());
    unfold_for_print();
    redraw_all(true);
  });
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
